import { expect, inject, it } from 'vitest'
import type { Cli } from '../cli.js'
import type { Call } from '../command.js'
import { withDatabase } from './open-database.js'

/** What the connections of a command have of two settings. */
async function settingsWith(url: string): Promise<unknown> {
  const call: Call = { cli: { env: { DATABASE_URL: url } } as unknown as Cli, args: [], options: {} }
  const text = `select current_setting('jit') as jit, current_setting('lock_timeout') as "lockTimeout"`
  return withDatabase(call, async ({ pool }) => (await pool.query({ text, values: [] })).rows[0])
}

it('switches JIT off on its connections, and keeps the options of the address', async () => {
  const url = new URL(inject('databaseUrl'))
  expect(await settingsWith(url.href)).toEqual({ jit: 'off', lockTimeout: '0' })
  url.searchParams.set('options', '-c lock_timeout=7000')
  expect(await settingsWith(url.href)).toEqual({ jit: 'off', lockTimeout: '7s' })
})

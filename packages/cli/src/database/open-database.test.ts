import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { newFolder, run } from '../../test/cli-process.js'
import type { Cli } from '../cli.js'
import type { Call } from '../command.js'
import { withDatabase } from './open-database.js'

/** What the connections of a command have of two settings. */
async function settingsWith(url: string): Promise<unknown> {
  const cli = { env: { DATABASE_URL: url } } as unknown as Cli
  const call: Call = { cli, args: [], options: { data: undefined, schema: undefined } }
  const text = `select current_setting('jit') as jit, current_setting('lock_timeout') as "lockTimeout"`
  return withDatabase(call, async ({ pool }) => (await pool.query({ text, values: [] })).rows[0])
}

it('switches JIT off on its connections, and keeps the options of the address', async () => {
  const url = new URL(inject('databaseUrl'))
  expect(await settingsWith(url.href)).toEqual({ jit: 'off', lockTimeout: '0' })
  url.searchParams.set('options', '-c lock_timeout=7000')
  expect(await settingsWith(url.href)).toEqual({ jit: 'off', lockTimeout: '7s' })
})

it('creates no directory but for migrate', { timeout: 60_000 }, async () => {
  const folder = newFolder()
  const data = join(folder, 'board')
  for (const args of [
    ['status'],
    ['migrate', '--plan'],
    ['prune', '--done-days', '1'],
    ['import', '-'],
    ['export', '-'],
  ]) {
    const { code, stderr } = await run([...args, '--data', data], { env: { HOME: folder } })
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `error: ${data} contains no database: \`taskboard migrate --data ${data}\` creates one\n`,
    })
  }
  expect(existsSync(data)).toBe(false)
})

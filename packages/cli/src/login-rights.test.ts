import { plainPasswordHasher } from '@taskboard/testing'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BoardHost, serveBoard } from '@taskboard/kit/hosts/board-host'
import { newFolder, run } from '../test/cli-process.js'

const DAY_MS = 86_400_000
const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
const lines = `${owner.email}\n${owner.password}\n`
let host: BoardHost
let accountId: string

beforeAll(async () => {
  host = await serveBoard({
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    passwordHasher: plainPasswordHasher,
  })
  const { account } = await host.taskboard.accounts.create({ name: 'Owned', tier: 'professional', owner })
  accountId = account.id
})
afterAll(() => host.close())

/** A machine on which an owner has logged in. */
async function loggedIn(...more: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const env = { HOME: newFolder(), TASKBOARD_URL: host.url }
  expect(await run(['login', ...more], { env, input: lines })).toMatchObject({ code: 0, stderr: '' })
  return env
}

const newestKey = async () => (await host.taskboard.accounts.listKeys(accountId))[0]

describe('the key of a login', { timeout: 60_000 }, () => {
  it('is for tasks and for 30 days, though the person has all rights', async () => {
    await loggedIn()
    const key = await newestKey()
    expect(key?.scopes).toEqual(['tasks:read', 'tasks:write'])
    const days = ((key?.expiresAt ?? Infinity) - (key?.createdAt ?? 0)) / DAY_MS
    expect(days).toBeCloseTo(30, 2)
  })

  it('has the scopes and the days that are asked for', async () => {
    const env = await loggedIn('--scope', 'tasks:read', '--scope', 'approvals:write', '--days', '2')
    const key = await newestKey()
    expect(key?.scopes).toEqual(['tasks:read', 'approvals:write'])
    expect((await run(['add', 'x'], { env })).code).not.toBe(0)
  })
})

describe('the session of a person', { timeout: 60_000 }, () => {
  it('is for their own commands, in a file that others cannot read, until they log out', async () => {
    const env = await loggedIn('--as-person')
    expect(statSync(join(env['HOME'] ?? '', '.config/taskboard/config.json')).mode & 0o777).toBe(0o600)
    for (let times = 0; times < 2; times++) {
      const { stdout } = await run(['whoami', '--json'], { env })
      const { caller } = JSON.parse(stdout) as { caller: { kind: string; scopes: string[] } }
      expect(caller).toMatchObject({ kind: 'user', scopes: expect.arrayContaining(['approvals:write']) })
    }
    expect(await run(['logout'], { env })).toMatchObject({ code: 0 })
    expect((await run(['whoami'], { env })).code).toBe(3)
  })

  it('is for no program and no model', async () => {
    const env = await loggedIn('--as-person')
    for (const command of [['mcp'], ['work', '--agent', 'Worker', '--exec', 'true', '--once']]) {
      const { code, stderr } = await run(command, { env, input: '' })
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr:
          'error: a program cannot act as you: use an API key from TASKBOARD_KEY or `taskboard login`\n',
      })
    }
  })
})

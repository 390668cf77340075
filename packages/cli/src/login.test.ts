import { plainPasswordHasher } from '@taskboard/testing'
import { createClient } from '@taskboard/client'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BoardHost, serveBoard } from '@taskboard/kit/hosts/board-host'
import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { newFolder, run, start } from '../test/cli-process.js'
import { startOnTerminal } from '../test/terminal.js'
import { storeServer } from './config-file.js'

const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
const STEP_MS = 30_000
let host: BoardHost
let secret = ''
let accountId = ''
/** A code is taken once; those of the steps before and after are taken, too. */
let recoveryCodes: readonly string[] = []

beforeAll(async () => {
  host = await serveBoard({
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    passwordHasher: plainPasswordHasher,
    secrets: { encryptionKey: Buffer.alloc(32, 7) },
  })
  const { account } = await host.taskboard.accounts.create({ name: 'Owned', tier: 'professional', owner })
  accountId = account.id
  const client = createClient({ baseUrl: host.url, login: owner })
  ;({ secret } = await client.account.mfa.begin())
  const confirmed = await client.account.mfa.confirm({
    mfa_code: oneTimePassword(secret, Date.now() - STEP_MS),
  })
  recoveryCodes = confirmed.recovery_codes
})
afterAll(() => host.close())

const settings = (): Record<string, string> => ({ HOME: newFolder(), TASKBOARD_URL: host.url })
const storedIn = (env: Readonly<Record<string, string>>): string =>
  readFileSync(join(env['HOME'] ?? '', '.config/taskboard/config.json'), 'utf8')

describe('login on a terminal', { timeout: 60_000 }, () => {
  it('asks for the email, the password and the second factor, and shows the email alone', async () => {
    const env = settings()
    const terminal = startOnTerminal(['login'], env)
    await terminal.shows(/Email: /)
    terminal.type('adam\u007F@acme.examplee\u001B[D\u007F\r')
    await terminal.shows(/Password: /)
    terminal.type(`wrong\u0015${owner.password}\r`)
    await terminal.shows(/Code of the second factor: /)
    const code = oneTimePassword(secret, Date.now() + STEP_MS)
    terminal.type(`${code}\r`)
    await terminal.shows(/logged in to http/)
    expect(await terminal.ended).toBe(0)
    for (const hidden of [owner.password, 'wrong', code]) expect(terminal.shown()).not.toContain(hidden)
    expect(terminal.shown()).toContain('ada')
    expect(await run(['list'], { env })).toMatchObject({ code: 0 })
    const { key } = Object.values(
      (JSON.parse(storedIn(env)) as { servers: Record<string, { key: string }> }).servers,
    )[0] ?? { key: '' }
    expect(key).toMatch(/^tb_/)
    expect(terminal.shown()).not.toContain(key)
    const [made] = await host.taskboard.accounts.listKeys(accountId)
    expect(made?.scopes).toEqual(['tasks:read', 'tasks:write'])
    const days = ((made?.expiresAt ?? 0) - (made?.createdAt ?? 0)) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  it('takes lines that were pasted at once', async () => {
    const env = settings()
    const terminal = startOnTerminal(['login'], env)
    await terminal.shows(/Email: /)
    terminal.type(`${owner.email}\n${owner.password}\n${recoveryCodes[0]}\n`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).not.toContain(owner.password)
    expect(terminal.shown()).not.toContain(recoveryCodes[0])
  })

  it.each([
    ['a wrong password', ['nothing\r'], 3],
    ['a wrong code', [`${owner.password}\r`, '000000\r'], 3],
    ['Ctrl-C', ['\u0003'], 130],
    ['Ctrl-D', ['half\u0004'], 130],
  ])('stores nothing after %s', async (_, answers, code) => {
    const env = settings()
    const terminal = startOnTerminal(['login', '--email', owner.email], env)
    for (const answer of answers) {
      await terminal.shows(/(Password|Code of the second factor): /)
      terminal.type(answer)
    }
    expect(await terminal.ended).toBe(code)
    expect(terminal.shown()).toMatch(/\r\n(error: .*\r\n)?$/)
    expect(() => storedIn(env)).toThrow('ENOENT')
  })

  it('asks for a key without showing it', async () => {
    const env = settings()
    const terminal = startOnTerminal(['login', '--with-key'], env)
    await terminal.shows(/API key: /)
    terminal.type(`${host.key}\r`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).not.toContain(host.key)
    expect(await run(['list'], { env })).toMatchObject({ code: 0 })
  })
})

describe('login', { timeout: 60_000 }, () => {
  it('reads the second factor as the third line of standard input', async () => {
    const env = settings()
    const input = `${owner.email}\n${owner.password}\n${recoveryCodes[1]}\n`
    const one = start(['login', '--json'], { env, input })
    const commandLine = one.commandLine()
    const { code, stdout, stderr } = await one.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const text of [commandLine, stdout]) expect(text).not.toContain(owner.password)
    const short = await run(['login'], { env, input: `${owner.email}\n${owner.password}\n` })
    expect(short).toMatchObject({ code: 2, stdout: '' })
    expect(short.stderr).toContain('no line for: Code of the second factor')
    expect(await run(['login'], { env, input: '' })).toMatchObject({ code: 2, stdout: '' })
  })

  it('of two at once stores both keys', async () => {
    const env = { HOME: newFolder() }
    const urls = [`${host.url}/`, host.url.replace('127.0.0.1', 'LOCALHOST')]
    const logins = urls.map((url) =>
      run(['login', '--with-key', '--url', url], { env, input: `${host.key}\n` }),
    )
    for (const { code, stderr } of await Promise.all(logins))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { servers } = JSON.parse(storedIn(env)) as { servers: object }
    expect(Object.keys(servers).toSorted()).toEqual(
      [host.url, host.url.replace('127.0.0.1', 'localhost')].toSorted(),
    )
  })

  it('needs a key that is known, and goes over the network in the clear only when told to', async () => {
    const env = settings()
    expect(await run(['login', '--with-key'], { env, input: '\n' })).toMatchObject({ code: 2 })
    const unknown = await run(['login', '--with-key', '--json'], { env, input: 'tb_nobodys_key_at_all\n' })
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).not.toContain('nobodys')
    const far = ['login', '--with-key', '--timeout', '1', '--url', 'http://board.invalid']
    const refused = await run(far, { env, input: 'tb_0\n' })
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('http://board.invalid is not encrypted')
    for (const command of [['list'], ['api', '/v2/tasks']]) {
      const args = [...command, '--timeout', '1', '--url', 'http://board.invalid']
      const { code, stderr } = await run(args, { env: { ...env, TASKBOARD_KEY: 'tb_0' } })
      expect({ code, stderr }).toEqual({ code: 2, stderr: refused.stderr })
    }
    const allowed = await run([...far, '--insecure'], { env, input: 'tb_0\n' })
    expect(allowed).toMatchObject({ code: 7 })
    expect(allowed.stderr).toContain('warning: http://board.invalid is not encrypted')
  })
})

describe('a second login', { timeout: 60_000 }, () => {
  it('revokes the key of the first one', async () => {
    const env = settings()
    const keyOf = (): string =>
      (JSON.parse(storedIn(env)) as { servers: Record<string, { key: string }> }).servers[host.url]?.key ?? ''
    const keys: string[] = []
    for (const code of recoveryCodes.slice(2, 4)) {
      const ended = await run(['login'], { env, input: `${owner.email}\n${owner.password}\n${code}\n` })
      expect(ended.code).toBe(0)
      keys.push(keyOf())
    }
    const [first = '', second = ''] = keys
    const refused = await run(['list'], { env: { ...env, TASKBOARD_KEY: first } })
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('run `taskboard login`')
    expect(await run(['list'], { env: { ...env, TASKBOARD_KEY: second } })).toMatchObject({ code: 0 })
  })
})

describe('logout', { timeout: 60_000 }, () => {
  it('says which server is the default one from then on', async () => {
    const env = settings()
    await storeServer(env, 'https://other.example', { key: 'tb_other', keyId: null })
    expect(await run(['login', '--with-key'], { env, input: `${host.key}\n` })).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await run(['logout'], { env })
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `logged out of ${host.url}\n`,
      stderr: 'the default server is https://other.example now\n',
    })
  })
})

describe('login again, and where there is none', { timeout: 60_000 }, () => {
  it('leaves no key behind', async () => {
    const plain = { email: 'bo@acme.example', password: owner.password }
    const { account } = await host.taskboard.accounts.create({
      name: 'Plain',
      tier: 'professional',
      owner: plain,
    })
    const env = settings()
    const input = `${plain.email}\n${plain.password}\n`
    for (let times = 0; times < 3; times++) {
      expect(await run(['login'], { env, input })).toMatchObject({ code: 0, stderr: '' })
    }
    const keys = await host.taskboard.accounts.listKeys(account.id)
    expect(keys.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1)
    expect(await run(['list'], { env })).toMatchObject({ code: 0 })
  })

  it('says that the host has its own login, or that the address is not of a board', async () => {
    const own = await serveBoard({ authenticate: () => null })
    try {
      // Before it asks for anything.
      const input = ''
      const at = (url: string) => run(['login'], { env: { HOME: newFolder(), TASKBOARD_URL: url }, input })
      const { code, stderr } = await at(own.url)
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: `error: ${own.url} has its own login: create a key there, and store it with \`taskboard login --with-key\`\n`,
      })
      const elsewhere = { HOME: newFolder(), TASKBOARD_URL: `${own.url}/elsewhere` }
      const withKey = await run(['login', '--with-key'], { env: elsewhere, input: `${host.key}\n` })
      for (const said of [(await at(`${own.url}/elsewhere`)).stderr, withKey.stderr]) {
        expect(said).toContain(
          `there is no board at ${own.url}/elsewhere: the address must include the path at which the board is mounted`,
        )
      }
    } finally {
      await own.close()
    }
  })
})

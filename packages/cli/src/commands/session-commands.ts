import {
  TaskboardApiError,
  type TaskboardClient,
  type Tokens,
  type CreateApiKeyBody,
} from '@taskboard/client'
import { hostname } from 'node:os'
import { CliError } from '../cli-error.js'
import type { Cli } from '../cli.js'
import { type Call, type Command, listOf, textOf } from '../command.js'
import { configPath, readConfig, storeServer, type StoredServer } from '../config-file.js'
import { oneLine } from '../output/text.js'

export const DAY_MS = 86_400_000
const DEFAULT_DAYS = '30'
/** What a worker needs. */
const DEFAULT_SCOPES: readonly Scope[] = ['tasks:read', 'tasks:write']

/** Asks a user for the password and the code of a second factor, and begins a session. */
async function logIn(cli: Cli, anonymous: TaskboardClient, email: string | undefined): Promise<Tokens> {
  await requireLogin(cli, anonymous)
  const given = { email: email ?? (await cli.ask('Email')), password: await cli.askSecret('Password') }
  try {
    return await anonymous.auth.login(given)
  } catch (error) {
    if (!(error instanceof TaskboardApiError) || error.field !== 'mfa_code') throw error
    return anonymous.auth.login({ ...given, mfa_code: await cli.askSecret('Code of the second factor') })
  }
}

/** Works as a user who logs in, and logs out afterward. */
export async function withUser<T>(
  cli: Cli,
  email: string | undefined,
  work: (client: TaskboardClient) => Promise<T>,
): Promise<T> {
  const anonymous = await cli.clientWith({})
  const tokens = await logIn(cli, anonymous, email)
  try {
    return await work(await cli.clientWith({ token: () => tokens.access_token }))
  } finally {
    await anonymous.auth.logout({ refresh_token: tokens.refresh_token }).catch(() => undefined)
  }
}

/** Sends a login without its fields, so that the user types a password only where the server takes one. */
async function requireLogin(cli: Cli, anonymous: TaskboardClient): Promise<void> {
  try {
    await anonymous.auth.login({} as Parameters<typeof anonymous.auth.login>[0])
  } catch (error) {
    if (!(error instanceof TaskboardApiError)) throw error
    if (error.status === 404) throw new CliError('unknown', await noLoginAt(cli))
  }
}

/** Why a login is impossible: the host application has its own login, or there is no board at the address. */
async function noLoginAt(cli: Cli): Promise<string> {
  const url = await cli.url()
  const isBoard = await (await cli.clientWith({ key: 'none' })).account.get().then(
    () => true,
    (error: unknown) => error instanceof TaskboardApiError && error.status === 401,
  )
  return isBoard
    ? `${url} has its own login: create a key there, and store it with \`taskboard login --with-key\``
    : `there is no board at ${url}: the address must include the path at which the board is mounted, as in https://app.example/kanban`
}

/** The time some days from now. */
export const endOf = (days: string): string =>
  new Date(Date.now() + daysOf(days, '--days') * DAY_MS).toISOString()

/** The value of an option that counts days. */
export function daysOf(days: string, option: string): number {
  if (/^\d{1,4}$/.test(days) && Number(days) > 0) return Number(days)
  throw new CliError('usage', `${option} must be a whole number from 1 to 9999`)
}

async function login({ cli, options }: Call): Promise<void> {
  const url = await cli.url()
  if (options['withKey'] === true) {
    const key = await cli.askSecret('API key')
    if (key === '') throw new CliError('usage', 'the key is empty')
    await requireKnown(cli, key)
    await storeServer(cli.env, url, { key, keyId: null })
  } else if (options['asPerson'] === true) {
    const { refresh_token: refreshToken } = await logIn(
      cli,
      await cli.clientWith({}),
      textOf(options, 'email'),
    )
    await storeServer(cli.env, url, { refreshToken })
    const note = 'the session, with all your rights, is stored in'
    cli.output.result(
      { url, config: configPath(cli.env) },
      `logged in to ${url}; ${note} ${configPath(cli.env)}`,
    )
    return
  } else {
    await withUser(cli, textOf(options, 'email'), async (client) => {
      const created = await client.apiKeys.create({
        name: `taskboard on ${hostname()}`.slice(0, 100),
        scopes: (listOf(options, 'scope') as readonly Scope[] | undefined) ?? DEFAULT_SCOPES,
        expires_at: endOf(textOf(options, 'days') ?? DEFAULT_DAYS),
        workspace_id: textOf(options, 'workspace'),
      })
      const earlier = keyIdOf((await readConfig(cli.env)).servers[url])
      await storeServer(cli.env, url, { key: created.key, keyId: created.id })
      if (earlier !== null) await revokeEarlier(cli, client, earlier)
    })
  }
  const path = configPath(cli.env)
  cli.output.result({ url, config: path }, `logged in to ${url}; the key is stored in ${path}`)
}

function keyIdOf(stored: StoredServer | undefined): string | null {
  return stored !== undefined && 'keyId' in stored ? stored.keyId : null
}

/** After a new login, no one has the earlier key any more. */
async function revokeEarlier(cli: Cli, client: TaskboardClient, id: string): Promise<void> {
  try {
    await client.apiKeys.revoke(id)
  } catch (error) {
    if (!(error instanceof TaskboardApiError)) throw error
    if (error.status !== 404) cli.output.note(`could not revoke the earlier key ${id}: ${error.message}`)
  }
}

/** A key may lack the scope for the account, but not be unknown. */
async function requireKnown(cli: Cli, key: string): Promise<void> {
  try {
    await (await cli.clientWith({ key })).account.get()
  } catch (error) {
    if (error instanceof TaskboardApiError && error.status === 404)
      throw new CliError('unknown', await noLoginAt(cli))
    if (!(error instanceof TaskboardApiError) || error.status !== 403) throw error
  }
}

async function logout({ cli }: Call): Promise<void> {
  const url = await cli.url()
  const stored = (await readConfig(cli.env)).servers[url]
  const revoked = stored !== undefined && (await endCredential(cli, stored))
  await storeServer(cli.env, url, null)
  const { current } = await readConfig(cli.env)
  if (stored !== undefined && current !== null) cli.output.note(`the default server is ${current} now`)
  cli.output.result(
    { url, revoked },
    stored === undefined ? `there was no key for ${url}` : `logged out of ${url}`,
  )
}

/** Revokes the session, or the key that a login created. Returns whether it did. */
async function endCredential(cli: Cli, stored: StoredServer): Promise<boolean> {
  if ('refreshToken' in stored) {
    await (await cli.clientWith({})).auth.logout({ refresh_token: stored.refreshToken })
    return true
  }
  if (stored.keyId === null) return false
  try {
    await (await cli.clientWith({ key: stored.key })).apiKeys.revokeCurrent()
    return true
  } catch (error) {
    if (!(error instanceof TaskboardApiError)) throw error
    cli.output.note(`deleted the key ${stored.keyId} here, but could not revoke it: ${error.message}`)
    return false
  }
}

async function whoami({ cli }: Call): Promise<void> {
  const account = await (await cli.client()).account.get()
  const { caller } = account
  const url = await cli.url()
  cli.output.result(account, () =>
    Object.entries({
      server: url,
      account: `${oneLine(account.name)} (${account.tier})`,
      caller: `${caller.kind} ${caller.id}`,
      scopes: caller.scopes.join(', '),
    })
      .map(([name, value]) => `${name.padEnd(9)}${value}`)
      .join('\n'),
  )
}

export const sessionCommands: readonly Command[] = [
  {
    name: 'login',
    summary:
      'Log in with email, password and second factor, then create and store an API key. Without a terminal, each is a line of standard input',
    options: [
      { flags: '--email <email>', summary: 'the email; the command asks for it otherwise' },
      {
        flags: '--scope <scope>',
        summary: `a scope of the key; default: ${DEFAULT_SCOPES.join(' and ')}`,
        isList: true,
      },
      { flags: '--days <days>', summary: `days until the key expires; default ${DEFAULT_DAYS}` },
      { flags: '--workspace <id>', summary: 'the only workspace of the key; default: every workspace' },
      {
        flags: '--as-person',
        summary: 'keep a session with your rights instead, so that you decide as a person',
      },
      { flags: '--with-key', summary: 'ask for an API key instead, and store it' },
    ],
    scopes: ['account:read', 'account:write'],
    json: { shape: '`{ url, config }`' },
    run: login,
  },
  {
    name: 'whoami',
    summary: 'Show the server, the account and the scopes of the key',
    scopes: ['account:read'],
    json: { operation: 'getAccount' },
    run: whoami,
  },
  {
    name: 'logout',
    summary: 'Delete the stored key, and revoke it if `login` created it',
    scopes: [],
    json: { shape: '`{ url, revoked }`' },
    run: logout,
  },
]

type Scope = CreateApiKeyBody['scopes'][number]

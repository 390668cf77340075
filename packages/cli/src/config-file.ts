import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './cli-error.js'
import { requirePrivate } from './private-file.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is kept between calls. */
export interface Config {
  /** The server of the last login. */
  readonly current: string | null
  readonly servers: Readonly<Record<string, StoredServer>>
}

export type StoredServer =
  | {
      readonly key: string
      /** Null for a key that was given: the program doesn't revoke it. */
      readonly keyId: string | null
    }
  /** A session of a person. Each use replaces the token. */
  | { readonly refreshToken: string }

const EMPTY: Config = { current: null, servers: {} }

/** In the user's folder for settings: `$XDG_CONFIG_HOME`, `%APPDATA%` on Windows, or `~/.config`. */
export function configPath(env: Environment): string {
  const given = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' ? env['APPDATA'] : undefined)
  return join(given || join(env['HOME'] || homedir(), '.config'), 'taskboard', 'config.json')
}

/** The stored settings; empty without a file. Rejects a file that others can read. */
export async function readConfig(env: Environment): Promise<Config> {
  const path = configPath(env)
  try {
    const file = await open(path, 'r')
    try {
      await requirePrivate(
        file,
        `${path} contains API keys, but other users can read it: run \`chmod 600 ${path}\`, then rotate the keys`,
      )
      return toConfig(JSON.parse(await file.readFile('utf8')))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw new CliError('usage', `${path} cannot be read: repair or delete it`, { cause: error })
  }
}

function toConfig(value: unknown): Config {
  const { current = null, servers = {} } = recordOf(value)
  if (current !== null && typeof current !== 'string') throw new TypeError('current is not a string')
  const stored = Object.entries(recordOf(servers)).map(([url, server]): [string, StoredServer] => {
    const { key, keyId = null, refreshToken } = recordOf(server)
    if (typeof refreshToken === 'string') return [url, { refreshToken }]
    if (typeof key !== 'string' || (keyId !== null && typeof keyId !== 'string')) {
      throw new TypeError('a server has no key')
    }
    return [url, { key, keyId }]
  })
  return { current, servers: Object.fromEntries(stored) }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new TypeError('it is not an object')
}

/** Stores, or with null forgets, the credential of a server, after which another one that is left is the current one. The file appears complete, readable by its owner only. */
export async function storeServer(env: Environment, url: string, server: StoredServer | null): Promise<void> {
  await changeServer(env, url, () => Promise.resolve(server))
}

/**
 * Replaces the credential of a server by what `change` makes of it, one process at a time, so that no two use one refresh token.
 * @throws What `change` throws; then nothing is stored.
 */
export async function changeServer(
  env: Environment,
  url: string,
  change: (stored: StoredServer | undefined) => Promise<StoredServer | null>,
): Promise<void> {
  const link = configPath(env)
  await mkdir(dirname(link), { recursive: true, mode: 0o700 })
  await oneAtATime(`${link}.lock`, async () => {
    const config = await readConfig(env)
    const { [url]: before, ...others } = config.servers
    const server = await change(before)
    const servers = server === null ? others : { ...others, [url]: server }
    const kept = config.current === url ? (Object.keys(others).at(-1) ?? null) : config.current
    const next: Config = { current: server === null ? kept : url, servers }
    // Of a link, what it points to.
    const path = await realpath(link).catch(() => link)
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await write(draft, `${JSON.stringify(next, null, 2)}\n`)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  })
}

/** A new file for its owner. It is on the disk before it gets its name. */
async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

const WAIT_MS = 20
/** A change takes milliseconds, with a request to the server some seconds: after that, anyone who made the lock has died. */
const STALE_MS = 15_000

/** Two logins at the same time would each write the file without the key of the other. */
async function oneAtATime(lock: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }))
    if (Math.abs(Date.now() - mtimeMs) > STALE_MS) await rm(lock, { force: true })
    else await sleep(WAIT_MS)
  }
  try {
    await work()
  } finally {
    await rm(lock, { force: true })
  }
}

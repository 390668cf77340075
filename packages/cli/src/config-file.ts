import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from './cli-error.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is kept between calls. */
export interface Config {
  /** The server of the last login. */
  readonly current: string | null
  readonly servers: Readonly<Record<string, StoredServer>>
}

export interface StoredServer {
  readonly key: string
  /** Null for a key that was given: the program does not revoke it. */
  readonly keyId: string | null
}

const EMPTY: Config = { current: null, servers: {} }

/** In the user's folder for settings: `$XDG_CONFIG_HOME`, `%APPDATA%` on Windows, or `~/.config`. */
export function configPath(env: Environment): string {
  const given = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' ? env['APPDATA'] : undefined)
  return join(given || join(env['HOME'] || homedir(), '.config'), 'taskboard', 'config.json')
}

/** The stored settings; empty without a file. Refuses a file that others can read. */
export async function readConfig(env: Environment): Promise<Config> {
  const path = configPath(env)
  try {
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CliError(
        'usage',
        `${path} has keys, and others can read it: chmod 600 it, and replace the keys`,
      )
    }
    return { ...EMPTY, ...(JSON.parse(await readFile(path, 'utf8')) as Partial<Config>) }
  } catch (error) {
    if (error instanceof CliError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw new CliError('usage', `${path} cannot be read: repair or delete it`, { cause: error })
  }
}

/** Stores, or with null forgets, the key of a server. The file appears complete, readable by its owner only. */
export async function storeServer(env: Environment, url: string, server: StoredServer | null): Promise<void> {
  const config = await readConfig(env)
  const { [url]: _, ...others } = config.servers
  const servers = server === null ? others : { ...others, [url]: server }
  const kept = config.current === url ? null : config.current
  const next: Config = { current: server === null ? kept : url, servers }
  const path = configPath(env)
  const draft = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
    await chmod(draft, 0o600)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

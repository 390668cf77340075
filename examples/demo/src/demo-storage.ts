import { isTaskboardError, type Storage } from '@taskboard/core'
import { migrate, openPglite, postgresStorage, type PgConnection, type PgPool } from '@taskboard/postgres'
import pg from 'pg'
import { keepEncryptionKey, keyFileOf } from './encryption-key.js'
import { SettingError, type DemoSettings } from './settings.js'
import { relative, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Where the demo keeps its board. */
export interface DemoStorage {
  readonly storage: Storage<PgConnection>
  readonly encryptionKey: string
  /** For people: where the state is, without any secret. */
  readonly place: string
  /** For people: where the encryption key is. */
  readonly keyPlace: string
  /** Closes the database, when nothing uses it any more. */
  close(): Promise<void>
}

interface OpenedDatabase {
  readonly pool: PgPool
  readonly place: string
  close(): Promise<void>
}

type StorageSettings = Pick<DemoSettings, 'dataDirectory' | 'databaseUrl' | 'encryptionKey'>

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens the server that DATABASE_URL names, or else PGlite in the data directory, and brings its schema up to date.
 * @throws SettingError
 */
export async function openStorage(
  settings: StorageSettings,
  warn: (message: string) => void,
): Promise<DemoStorage> {
  const { dataDirectory, databaseUrl } = settings
  const encryptionKey = settings.encryptionKey ?? (await keepKey(dataDirectory))
  const database = databaseUrl === null ? await openDirectory(dataDirectory) : openServer(databaseUrl, warn)
  try {
    await migrate(database.pool)
  } catch (error) {
    await database.close()
    throw databaseUrl === null ? directoryFault(dataDirectory, error) : serverFault(error)
  }
  return {
    storage: postgresStorage({ pool: database.pool }),
    encryptionKey,
    place: database.place,
    keyPlace:
      settings.encryptionKey === null ? shownPath(keyFileOf(dataDirectory)) : 'TASKBOARD_ENCRYPTION_KEY',
    close: () => database.close(),
  }
}

async function keepKey(dataDirectory: string): Promise<string> {
  try {
    return await keepEncryptionKey(dataDirectory)
  } catch (error) {
    throw directoryFault(dataDirectory, error)
  }
}

async function openDirectory(directory: string): Promise<OpenedDatabase> {
  try {
    await copyEmptyBoard(directory)
    const opened = await openPglite(directory)
    return { ...opened, place: `in PGlite under ${shownPath(directory)}` }
  } catch (error) {
    throw directoryFault(directory, error)
  }
}

function openServer(url: string, warn: (message: string) => void): OpenedDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // As a statement: PgBouncer refuses connections with options.
    // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its type does not say.
    onConnect: (client) => client.query('set jit = off').then(() => undefined),
  })
  // Without a listener an idle connection that the server ends would end this process.
  pool.on('error', (error) => warn(`an idle connection to PostgreSQL was lost: ${error.message}`))
  const { host, pathname } = new URL(url)
  return {
    pool,
    close: () => pool.end(),
    place: `on the PostgreSQL of DATABASE_URL, database ${pathname.slice(1) || 'by default'} at ${host || 'this machine'}`,
  }
}

function directoryFault(directory: string, error: unknown): SettingError {
  if (isTaskboardError(error, 'INVALID_CONFIG')) {
    return new SettingError('TASKBOARD_DATA', `cannot be used: ${error.message}`, error)
  }
  return new SettingError('TASKBOARD_DATA', `${directory} cannot be used: ${reasonOf(error)}`, error)
}

function serverFault(error: unknown): SettingError {
  if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) {
    return new SettingError(
      'DATABASE_URL',
      `names a database that cannot be reached: ${reasonOf(error.cause)}`,
      error,
    )
  }
  return new SettingError('DATABASE_URL', `names a database that cannot be used: ${reasonOf(error)}`, error)
}

/** An error that collects the errors of several addresses has no message itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

/** A path for people: relative to the working directory if it is below it. */
function shownPath(path: string): string {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}

/** Made by the build of this repository; seen from `src` and from the compiled servers alike. */
const EMPTY_BOARD = fileURLToPath(new URL('../../demo/dist/empty-board', import.meta.url))

/**
 * Copies the database of a new board into a directory that has none. This takes a tenth of the two seconds that PGlite needs to create one.
 * Changes nothing where there is none to copy: `openPglite` then creates it.
 */
export async function copyEmptyBoard(directory: string, source = EMPTY_BOARD): Promise<void> {
  const data = join(directory, 'data')
  if (existsSync(data) || !existsSync(source)) return
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // A name that `openPglite` cleans up after a process that died.
  const draft = join(directory, `data-draft-${randomBytes(8).toString('hex')}`)
  try {
    await cp(source, draft, { recursive: true })
    await rename(draft, data)
  } catch {
    // Another process was faster or removed the draft, or the files cannot be written: then `openPglite` says why.
    await rm(draft, { recursive: true, force: true })
  }
}

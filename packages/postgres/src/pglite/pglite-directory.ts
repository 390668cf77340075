import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lockDirectory } from './directory-lock.js'
import { loadPglite } from './load-pglite.js'
import { makeDataDirectory } from './new-data-directory.js'
import { pglitePool } from './pglite-pool.js'
import type { PgPool } from '../connection/pool.js'

/** A database that only this process has open. */
export interface OpenedPglite {
  readonly pool: PgPool
  /** Closes the database and releases the directory. Idempotent. */
  close(): Promise<void>
}

/**
 * Opens the PGlite database of a directory, and creates the directory when it doesn't exist. The directory contains `data`, the
 * database's files, and a file that names the process that has it open. A process that dies loses no acknowledged write.
 * @throws TaskboardError `INVALID_CONFIG` when another process has the directory open, or `@electric-sql/pglite` isn't
 *   installed.
 * @example
 * ```ts
 * import { isTaskboardError } from '@taskboard/core'
 * import { openPglite } from '@taskboard/postgres'
 *
 * const database = await openPglite('board')
 * const second = await openPglite('board').catch((error) => isTaskboardError(error, 'INVALID_CONFIG'))
 * console.log(second) // true
 * await database.close()
 * ```
 */
export async function openPglite(directory: string): Promise<OpenedPglite> {
  const { PGlite } = await loadPglite()
  const root = resolve(directory)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(root)
  try {
    await makeDataDirectory(root)
    const pglite = await PGlite.create(join(root, 'data'), startOptions(PGlite))
    let closing: Promise<void> | undefined
    const close = async () => {
      try {
        await pglite.close()
      } finally {
        await lock.release()
      }
    }
    return { pool: pglitePool(pglite), close: () => (closing ??= close()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * In WebAssembly all of the shared buffers take memory from the start. PostgreSQL's default of 128 MB is too much for the
 * database of one process. The system's file cache holds the rest.
 */
const SHARED_BUFFERS = '32MB'

/** Versions that don't export their own parameters start with only these. */
function startOptions({ defaultStartParams }: { readonly defaultStartParams?: readonly string[] }) {
  if (defaultStartParams === undefined) return {}
  return { startParams: [...defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`] }
}

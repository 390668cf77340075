import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lockDirectory } from './directory-lock.js'
import { loadPglite } from './load-pglite.js'
import { makeDataDirectory } from './new-data-directory.js'
import { pglitePool } from './pglite-pool.js'
import type { PgPool } from './pool.js'

/** A database of this process's own. */
export interface OpenedPglite {
  readonly pool: PgPool
  /** Closes the database and lets the directory go. Safe to call again. */
  close(): Promise<void>
}

/**
 * Opens the PGlite database of a directory, and creates the directory when it does not exist. The directory holds `data`, the
 * database's files, and the file that names the process which has it open. A process that dies loses nothing that was acknowledged.
 * @throws TaskboardError `INVALID_CONFIG` when another process has the directory open, or `@electric-sql/pglite` is not
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
 * In WebAssembly all of the shared buffers take memory from the start. The 128 MB that PostgreSQL has by default are more than the
 * database of a process of its own is worth; what is not in them is in the system's file cache.
 */
const SHARED_BUFFERS = '32MB'

/** Versions that do not tell their own parameters start with those alone. */
function startOptions({ defaultStartParams }: { readonly defaultStartParams?: readonly string[] }) {
  if (defaultStartParams === undefined) return {}
  return { startParams: [...defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`] }
}

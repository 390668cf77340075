import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Made by the build of this repository; seen from `src` and from the compiled servers alike. */
const EMPTY_BOARD = fileURLToPath(new URL('../../demo/dist/empty-board', import.meta.url))

/**
 * Copies the database of a new board into a directory that has none, in a tenth of the two seconds that PGlite needs to create one.
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

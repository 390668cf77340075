import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, readdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The optimizing compiler of V8 takes more time and memory than it saves in a few seconds. */
const NODE_OPTIONS = ['--liftoff-only']

const DRAFT = /^data-draft-[0-9a-f]{16}$/

/** Arguments: the path of the PGlite package, and the directory. */
const PROGRAM = `
  const [, path, directory] = process.argv
  const { PGlite } = require(path)
  PGlite.create(directory).then((pglite) => pglite.close())`

/**
 * Creates the files of a new PGlite database at `data` in the directory `root`, which this process holds, unless `data` exists.
 *
 * PGlite creates them with two more instances of PostgreSQL and never frees their 600 MB of memory, so a child process does it.
 * The files appear complete or not at all. Where no child process can do it, `data` stays absent, and PGlite creates it itself.
 */
export async function makeDataDirectory(root: string): Promise<void> {
  const data = join(root, 'data')
  if (await exists(data)) return
  const left = (await readdir(root)).filter((name) => DRAFT.test(name))
  for (const name of left) await rm(join(root, name), { recursive: true, force: true })
  // A release of Node.js that does not know the options exits at once.
  for (const options of [NODE_OPTIONS, []]) {
    const draft = join(root, `data-draft-${randomBytes(8).toString('hex')}`)
    if (await runProgram(draft, options)) return rename(draft, data)
    await rm(draft, { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

/** Whether the program succeeded. */
async function runProgram(directory: string, options: readonly string[]): Promise<boolean> {
  // The executable of an Electron application, or of Bun, is not Node.js.
  const { electron, bun } = process.versions
  if (electron !== undefined || bun !== undefined) return false
  try {
    const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite')
    const child = spawn(process.execPath, [...options, '-e', PROGRAM, pglite, directory], { stdio: 'ignore' })
    const [exitCode] = (await once(child, 'exit')) as [number | null]
    return exitCode === 0
  } catch {
    return false
  }
}

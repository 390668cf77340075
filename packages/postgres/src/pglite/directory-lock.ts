import { TaskboardError } from '@taskboard/core'
import { randomBytes } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Holds a directory for this process until it is released. */
export interface DirectoryLock {
  release(): Promise<void>
}

/** The content of the lock's file: its holder, or that it is released. */
interface Holder {
  readonly pid: number | null
  /** Distinguishes processes that had the same id one after the other; null where the system doesn't report it. */
  readonly birth: string | null
}

const LOCK_FILE = /^lock\.(\d{1,15})$/
const MOST_ATTEMPTS = 100

/**
 * Locks the directory, which must exist, for this process. A process that exited without a release holds nothing, even if its parent
 * doesn't know yet.
 *
 * The lock file with the highest number names the holder. A number can be taken only once, and none is taken below one that is
 * held. So when several processes find a dead holder at the same time, one of them gets the directory. Processes must see one another:
 * two machines, or two containers, on one volume don't.
 * @throws TaskboardError `INVALID_CONFIG` while another process, or another part of this one, holds it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const mine: Holder = { pid: process.pid, birth: (await lifeOf(process.pid))?.birth ?? null }
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const highest = Math.max(0, ...(await lockNumbers(directory)))
    if (highest > 0) await refuseHeld(directory, highest)
    const number = highest + 1
    if (!(await create(directory, number, mine))) continue
    const others = await lockNumbers(directory)
    if (others.some((other) => other > number)) {
      await rm(fileOf(directory, number), { force: true })
      continue
    }
    const older = others.filter((other) => other < number)
    await Promise.all(older.map((other) => rm(fileOf(directory, other), { force: true })))
    return { release: () => put(directory, number, { pid: null, birth: null }) }
  }
  throw new TaskboardError(
    'INVALID_CONFIG',
    `too many processes are opening ${directory} at the same time; retry`,
  )
}

async function refuseHeld(directory: string, number: number): Promise<void> {
  const holder = await readHolder(fileOf(directory, number))
  if (holder === null || !(await isAlive(holder))) return
  throw new TaskboardError(
    'INVALID_CONFIG',
    `${directory} is in use by the process ${holder.pid}: one process at a time can hold a PGlite directory`,
  )
}

const fileOf = (directory: string, number: number): string => join(directory, `lock.${number}`)

async function lockNumbers(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory)
  return names.flatMap((name) => LOCK_FILE.exec(name)?.[1] ?? []).map(Number)
}

/** Creates the file, complete from the start, unless it exists; returns whether it did. */
async function create(directory: string, number: number, holder: Holder): Promise<boolean> {
  const draft = await writeDraft(directory, holder)
  try {
    await link(draft, fileOf(directory, number))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** The number stays taken, so that no process that read the directory earlier can fall back to it. */
async function put(directory: string, number: number, holder: Holder): Promise<void> {
  await rename(await writeDraft(directory, holder), fileOf(directory, number))
}

async function writeDraft(directory: string, holder: Holder): Promise<string> {
  const draft = join(directory, `lock-draft-${randomBytes(8).toString('hex')}`)
  await writeFile(draft, JSON.stringify(holder))
  return draft
}

/** Null when the file doesn't exist (a later holder has deleted it), or is incomplete (the machine crashed). */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

async function isAlive({ pid, birth }: Holder): Promise<boolean> {
  if (pid === null || !isRunning(pid)) return false
  const present = await lifeOf(pid)
  if (present === null) return true
  return !present.hasEnded && (birth === null || present.birth === birth)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

interface Life {
  /** The start of the process: the boot, and clock ticks since then (proc(5), `starttime`). */
  readonly birth: string
  /** Whether it is a zombie: all of its threads have exited, and it is listed until its parent reads its exit status. */
  readonly hasEnded: boolean
}

/** The state of a process on Linux. Null elsewhere, and for a process that doesn't exist. */
async function lifeOf(pid: number): Promise<Life | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field, the command in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', threads, birth = ''] = [fields[0], Number(fields[17]), fields[19]]
    return { birth: `${boot.trim()}/${birth}`, hasEnded: /^[ZXx]$/.test(state) && threads <= 1 }
  } catch {
    return null
  }
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null | undefined)?.code
}

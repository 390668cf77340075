import { TaskboardError } from '@taskboard/core'
import { randomBytes } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Holds a directory for this process until it is released. */
export interface DirectoryLock {
  release(): Promise<void>
}

/** What the lock's file says: whose it is, or that nobody holds it any more. */
interface Holder {
  readonly pid: number | null
  /** Tells processes apart that had one number after another; null where the system does not tell. */
  readonly birth: string | null
}

const LOCK_FILE = /^lock\.(\d{1,15})$/
const MOST_ATTEMPTS = 100

/**
 * Takes the directory, which must exist, for this process. A process that ended without a release holds nothing, whether its
 * parent knows that it has ended or not.
 *
 * The holder is named by the lock file with the highest number. A number can be taken once only, and none is taken below one
 * that is held, so of several processes that find a dead holder at once one gets the directory. Processes must see one
 * another: two machines, or two containers, on one volume do not.
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
  throw new TaskboardError('INVALID_CONFIG', `${directory} is being opened by many processes at once`)
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

/** Makes the file, whole from its first moment on, unless it is there; says whether it did. */
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

/** The number stays taken, so that nobody who read the directory earlier can fall back to it. */
async function put(directory: string, number: number, holder: Holder): Promise<void> {
  await rename(await writeDraft(directory, holder), fileOf(directory, number))
}

async function writeDraft(directory: string, holder: Holder): Promise<string> {
  const draft = join(directory, `lock-draft-${randomBytes(8).toString('hex')}`)
  await writeFile(draft, JSON.stringify(holder))
  return draft
}

/** Null when the file is gone (a later holder has cleared it away), or torn (the machine went down). */
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
  /** When it began: the boot, and clock ticks since then (proc(5), `starttime`). */
  readonly birth: string
  /** Whether it is a zombie: all of its threads have ended, and it is listed until its parent asks for its exit status. */
  readonly hasEnded: boolean
}

/** What is known of a process on Linux. Null elsewhere, and for one that is not there. */
async function lifeOf(pid: number): Promise<Life | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field, the command in parentheses, may hold anything.
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

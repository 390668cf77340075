import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'

/** A program that is installed, or null; Debian puts servers where only root looks. */
export function programNamed(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

export interface Program {
  /** What it has written to standard error. */
  readonly errors: () => string
  /** Ends it with SIGTERM, and resolves to its exit code. */
  stop(): Promise<number | null>
}

/** Starts a program that stops on SIGTERM. */
export function startProgram(
  path: string,
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly uid?: number
    readonly gid?: number
  } = {},
): Program {
  const child: ChildProcess = spawn(path, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  return {
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

async function idOf(flag: string): Promise<number> {
  const { stdout } = await promisify(execFile)('id', [flag, 'postgres'])
  return Number(stdout)
}

/** A user for programs that refuse to run as root: that of Debian's PostgreSQL. */
export async function ordinaryUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (userInfo().uid !== 0) return {}
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { watchProcess, type WatchedProcess } from './watched-process.js'

const execute = promisify(execFile)
/** The folder in which the commands run. */
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A replacement on a machine without curl, with the options that the greeting uses. */
const STAND_IN = `#!${process.execPath}
const [method, headers] = [process.argv.includes('-d') ? 'POST' : 'GET', {}]
let url, body
for (let i = 2; i < process.argv.length; i++) {
  const word = process.argv[i]
  if (word === '-H') { const [name, ...rest] = process.argv[++i].split(':'); headers[name] = rest.join(':').trim() }
  else if (word === '-d') body = process.argv[++i]
  else if (word !== '-s') url = word
}
fetch(url, { method, headers, body }).then((r) => r.text()).then((text) => process.stdout.write(text))
`

/** Runs a line as if pasted into a shell after `KEY=…`, and returns what it prints. */
export async function runInShell(line: string, key: string): Promise<string> {
  const hasCurl = await execute('sh', ['-c', 'command -v curl']).then(
    () => true,
    () => false,
  )
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-shell-'))
  try {
    const standIn = join(folder, 'curl')
    await writeFile(standIn, STAND_IN)
    await chmod(standIn, 0o755)
    const path = hasCurl ? process.env['PATH'] : `${folder}:${process.env['PATH']}`
    const { stdout } = await execute('sh', ['-c', `KEY=${key}\n${line}`], {
      cwd: root,
      env: { ...process.env, PATH: path },
    })
    return stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A command that runs until it is ended. */
export interface ShellCommand extends WatchedProcess {
  /** Ends it as Ctrl-C does. */
  interrupt(): Promise<void>
}

/** Starts a line as if pasted into a shell after `KEY=…`. */
export function startInShell(line: string, key: string): ShellCommand {
  const child = spawn('sh', ['-c', `KEY=${key}\n${line}`], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const watched = watchProcess(child)
  return {
    ...watched,
    async interrupt() {
      // To all processes of the terminal's foreground, including npm's child.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
      await watched.ended
    },
  }
}

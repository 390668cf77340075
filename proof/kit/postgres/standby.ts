import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from '../processes/until.js'
import { controls, embeddedServer, type EmbeddedServer, startEmbeddedServer } from './embedded-server.js'

/** A server with a streaming standby. */
export interface ServerPair {
  readonly primary: EmbeddedServer
  readonly standby: EmbeddedServer
  /** Ends both, whatever they do, and removes their data. */
  stop(): Promise<void>
}

/** A connection string with both hosts. */
export function urlOfPair({ primary, standby }: Pick<ServerPair, 'primary' | 'standby'>): string {
  return primary.url.replace(/(@[^/]+)/, `$1,${new URL(standby.url).host}`)
}

/** The name by which `synchronous_standby_names` knows the standby. */
export const STANDBY_NAME = 'standby'

/** What a standby that begins from a backup still needs. */
const KEPT_LOG = 'wal_keep_size=256MB'

/** Starts both. `flags` are settings of both, `standbyFlags` of the standby alone. */
export async function startServerPair(
  flags: readonly string[] = [],
  standbyFlags: readonly string[] = [],
): Promise<ServerPair> {
  const primary = await startEmbeddedServer([KEPT_LOG, ...flags])
  try {
    const standby = await startStandbyOf(primary, [...flags, ...standbyFlags])
    return {
      primary,
      standby,
      async stop() {
        for (const server of [standby, primary]) await server.resume().catch(() => undefined)
        for (const server of [standby, primary]) await server.stop()
      },
    }
  } catch (error) {
    await primary.stop()
    throw error
  }
}

/** Starts a server that follows `primary` from a base backup of it, on a free port or on `usualPort`. */
export async function startStandbyOf(
  primary: EmbeddedServer,
  flags: readonly string[] = [],
  usualPort?: number,
): Promise<EmbeddedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-standby-'))
  await rm(directory, { recursive: true })
  await backUp(primary, directory)
  const { hostname, port: primaryPort } = new URL(primary.url)
  const source = `host=${hostname} port=${primaryPort} user=postgres password=postgres application_name=${STANDBY_NAME}`
  await writeFile(join(directory, 'standby.signal'), '')
  await giveTo(await stat(primary.directory), directory)
  const { server, port, log } = await embeddedServer(
    directory,
    [`primary_conninfo=${source}`, KEPT_LOG, ...flags],
    usualPort,
  )
  // Resolves when the server is promoted.
  const promoted = server.start()
  promoted.catch(() => undefined)
  const standby = controls(server, directory, port)
  await until(
    () => asksAs(standby.url, 'select pg_is_in_recovery()').catch(() => false),
    (seen) => seen === true,
    30_000,
  ).catch(() => {
    throw new Error(`the standby did not start: ${log.join('\n')}`)
  })
  return standby
}

/** Makes the standby a primary that waits for nobody, and resolves when it is one. */
export async function promote(standby: EmbeddedServer): Promise<void> {
  if (!(await asksAs(standby.url, 'select pg_promote()'))) throw new Error('the standby was not promoted')
  await setSynchronous(standby, '')
}

/** From now on, commits of the primary wait for the standby. */
export async function makeSynchronous(primary: EmbeddedServer): Promise<void> {
  await setSynchronous(primary, STANDBY_NAME)
  const isSync = `select exists (select from pg_stat_replication where sync_state = 'sync')`
  await until(
    () => asksAs(primary.url, isSync),
    (seen) => seen === true,
    30_000,
  )
}

async function setSynchronous(server: EmbeddedServer, names: string): Promise<void> {
  await asksAs(server.url, `alter system set synchronous_standby_names = '${names}'`)
  await asksAs(server.url, 'select pg_reload_conf()')
}

/** The first value of the first row. */
export async function asksAs(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 20_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return (rows[0] as unknown[] | undefined)?.[0]
  } finally {
    await client.end()
  }
}

async function backUp({ url, directory }: EmbeddedServer, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    client.on('error', () => undefined)
    await client.query(`select pg_backup_start('standby', true)`)
    const left = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp'])
    const names = (await readdir(directory)).filter((name) => !left.has(name))
    await mkdir(target, { mode: 0o700 })
    await copy(
      names.map((name) => join(directory, name)),
      target,
    )
    for (const name of ['pg_wal', 'pg_replslot', 'pg_stat_tmp']) await mkdir(join(target, name))
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(target, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
}

/** With the owners. What vanishes meanwhile is in the log. */
async function copy(paths: readonly string[], target: string): Promise<void> {
  const env = { ...process.env, LC_ALL: 'C' }
  await promisify(execFile)('cp', ['-a', ...paths, target], { env }).catch((error: { stderr?: string }) => {
    const faults = (error.stderr ?? '').split('\n').filter((line) => !/^$|No such file/.test(line))
    if (faults.length > 0 || error.stderr === undefined) throw error
  })
}

/** The servers run as a user of their own if the tests run as root. */
async function giveTo(
  owner: { readonly uid: number; readonly gid: number },
  directory: string,
): Promise<void> {
  const made = ['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'backup_label', 'standby.signal']
  for (const name of ['', ...made]) await chown(join(directory, name), owner.uid, owner.gid)
}

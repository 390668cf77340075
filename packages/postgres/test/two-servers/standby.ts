import { chown, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { controls, embeddedServer, type EmbeddedServer, startEmbeddedServer } from '../embedded-server.js'

/** A server with a streaming standby. */
export interface ServerPair {
  readonly primary: EmbeddedServer
  readonly standby: EmbeddedServer
  /** Ends both, whatever they do, and removes their data. */
  stop(): Promise<void>
}

/** The name by which `synchronous_standby_names` knows the standby. */
export const STANDBY_NAME = 'standby'

/** Starts both. `flags` are settings of both, `standbyFlags` of the standby alone. */
export async function startServerPair(
  flags: readonly string[] = [],
  standbyFlags: readonly string[] = [],
): Promise<ServerPair> {
  const primary = await startEmbeddedServer(['wal_keep_size=256MB', ...flags])
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

/** Starts a server that follows `primary` from a base backup of it. */
export async function startStandbyOf(
  primary: EmbeddedServer,
  flags: readonly string[] = [],
): Promise<EmbeddedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-standby-'))
  await rm(directory, { recursive: true })
  await backUp(primary, directory)
  const { hostname, port: primaryPort } = new URL(primary.url)
  const source = `host=${hostname} port=${primaryPort} user=postgres password=postgres application_name=${STANDBY_NAME}`
  await writeFile(join(directory, 'standby.signal'), '')
  await giveTo(await stat(primary.directory), directory)
  const { server, port, log } = await embeddedServer(directory, [`primary_conninfo=${source}`, ...flags])
  // Resolves when the server is promoted.
  const promoted = server.start()
  promoted.catch(() => undefined)
  const standby = controls(server, directory, port)
  const deadline = Date.now() + 30_000
  while (!(await asksAs(standby.url, 'select pg_is_in_recovery()').catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`the standby did not start: ${log.join('\n')}`)
  }
  return standby
}

/** Makes the standby a primary, and resolves when it is one. */
export async function promote(standby: EmbeddedServer): Promise<void> {
  if (!(await asksAs(standby.url, 'select pg_promote()'))) throw new Error('the standby was not promoted')
}

/** From now on, commits of the primary wait for the standby. */
export async function makeSynchronous(primary: EmbeddedServer): Promise<void> {
  await asksAs(primary.url, `alter system set synchronous_standby_names = '${STANDBY_NAME}'`)
  await asksAs(primary.url, 'select pg_reload_conf()')
  const isSync = `select exists (select from pg_stat_replication where sync_state = 'sync')`
  while (!(await asksAs(primary.url, isSync))) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The first value of the first row. */
export async function asksAs(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
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
    await client.query(`select pg_backup_start('standby', true)`)
    const left = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp'])
    await mkdir(target, { mode: 0o700 })
    for (const name of await readdir(directory)) {
      if (left.has(name)) continue
      await cp(join(directory, name), join(target, name), { recursive: true })
    }
    for (const name of ['pg_wal', 'pg_replslot', 'pg_stat_tmp']) await mkdir(join(target, name))
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(target, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
}

/** The servers run as a user of their own if the tests run as root. */
async function giveTo(owner: { readonly uid: number; readonly gid: number }, path: string): Promise<void> {
  await chown(path, owner.uid, owner.gid)
  for (const entry of await readdir(path, { recursive: true })) {
    await chown(join(path, entry), owner.uid, owner.gid)
  }
}

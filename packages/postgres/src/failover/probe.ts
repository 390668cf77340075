import type { PgQueryable } from '../connection/pool.js'
import { within } from '../connection/timeouts.js'
import type { Host } from './hosts.js'

/** The part of a `pg.Client` that is used here. */
export interface PgClient extends PgQueryable {
  host: string
  port: number
  connect(): Promise<unknown>
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
}

/** What a server says of itself. */
export interface ServerState extends Host {
  readonly isStandby: boolean
  /** The branch of the log that it writes: each promotion begins a higher one. 0 for a standby. */
  readonly timeline: number
}

/** Asks one server for its state, again and again over one connection. */
export interface Probe {
  /** Null when it doesn't answer in time. */
  ask(): Promise<ServerState | null>
  close(): void
}

const ANSWER_MS = 2_000

/** It switches JIT off as well, for the rest of the session. Not in the options of the connection, since PgBouncer rejects those. */
const STATE = /* sql */ `
  select pg_is_in_recovery() as "isStandby", case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline,
    set_config('jit', 'off', false) as jit`

/** The state of the server that a connection leads to. From then on, the server compiles no plans for that connection. */
export async function stateOf(connection: PgQueryable, server: Host): Promise<ServerState> {
  const { rows } = await connection.query({ text: STATE, values: [] })
  const { isStandby, timeline } = rows[0] as Pick<ServerState, 'isStandby' | 'timeline'>
  return { ...server, isStandby, timeline }
}

export function createProbe(open: () => PgClient, server: Host): Probe {
  let client: PgClient | undefined

  function close(): void {
    if (client !== undefined) cutOff(client)
    client = undefined
  }

  async function connected(): Promise<PgClient> {
    if (client !== undefined) return client
    const opened = open()
    client = opened
    Object.assign(opened, { host: server.host, port: server.port })
    opened.on('error', () => {
      if (client === opened) client = undefined
    })
    await opened.connect()
    return opened
  }

  async function ask(): Promise<ServerState | null> {
    try {
      const answer = connected().then((one) => stateOf(one, server))
      return await within(answer, ANSWER_MS, () => new Error(`no answer within ${ANSWER_MS} ms`))
    } catch {
      close()
      return null
    }
  }

  let asking: Promise<ServerState | null> | undefined
  return {
    close,
    ask: () => (asking ??= ask().finally(() => (asking = undefined))),
  }
}

/** Closes a connection immediately, whatever the server does: what waits for it is rejected. */
export function cutOff(client: object, reason?: Error): void {
  const { connection } = client as { connection?: { stream?: { destroy(reason?: Error): void } } }
  connection?.stream?.destroy(reason)
}

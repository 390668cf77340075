import { TaskboardError } from '@taskboard/core'
import { callbackify } from 'node:util'
import type { PgPool } from '../connection/pool.js'
import { type Host, type HostList, readHosts } from './hosts.js'
import { createFinder, type Finder, noServer } from './primary-finder.js'
import { cutOff, type PgClient, stateOf } from './probe.js'

export interface FailoverOptions {
  /**
   * `postgres://user@host1,host2:5433/database`, as libpq reads it. `target_session_attrs` is `read-write` (the default), `primary`, or
   * `standby`, for a `readPool`.
   */
  readonly connectionString: string
  /** How often to ask all servers whether another one has been promoted; default 1,000, from 100 to 60,000. */
  readonly checkIntervalMs?: number | undefined
  /** How long a connection may take, with the search for the primary; default 10,000. */
  readonly connectionTimeoutMillis?: number | undefined
}

/** The part of the module `pg` that is used here. */
export interface PgModule {
  readonly Client: new (config: never) => object
  readonly Pool: new (config: never) => PgPool
}

/** The options of the module's pool. */
type PoolOptions<Pg extends PgModule> = NonNullable<ConstructorParameters<Pg['Pool']>[0]>

const DEFAULT_CONNECT_MS = 10_000

/**
 * A `pg.Pool` on a primary with standbys. It connects to the server that is the primary, and asks all of them every second whether another
 * one has been promoted. Then it closes its connections to the former primary immediately. It never returns to it, even when that one was
 * only paused and still believes that it is the primary. All other options are the options of `pg.Pool`. It asks while it has connections, over
 * one more to each server. JIT is off on its connections.
 * @example
 * ```ts
 * import { failoverPool, postgresStorage } from '@taskboard/postgres'
 * import pg from 'pg'
 *
 * const pool = failoverPool(pg, { connectionString: 'postgres://board@db-1,db-2/board', max: 10 })
 * pool.on('error', (error) => console.error(error.message))
 * const storage = postgresStorage({ pool })
 * ```
 * @throws TaskboardError `INVALID_CONFIG`
 */
export function failoverPool<Pg extends PgModule>(
  pg: Pg,
  options: FailoverOptions & Omit<PoolOptions<Pg>, keyof FailoverOptions | 'host' | 'port' | 'Client'>,
): InstanceType<Pg['Pool']> {
  const { connectionString, checkIntervalMs = 1_000, ...others } = options
  if (!(Number.isInteger(checkIntervalMs) && checkIntervalMs >= 100 && checkIntervalMs <= 60_000)) {
    throw new TaskboardError('INVALID_CONFIG', 'checkIntervalMs must be a whole number from 100 to 60000', {
      field: 'checkIntervalMs',
    })
  }
  const list = readHosts(connectionString)
  const config = { ...others, connectionString: list.first }
  const connectMs = options.connectionTimeoutMillis ?? DEFAULT_CONNECT_MS
  const live = new Map<object, Host>()
  const Base = pg.Client as unknown as ClientClass
  const finder = createFinder(
    list,
    () => new Base(config),
    checkIntervalMs,
    (primary) => {
      for (const [client, host] of live) {
        if (host.host !== primary.host || host.port !== primary.port) cutOff(client, replaced())
      }
    },
  )
  const Client = clientOf(Base, { list, finder, live, connectMs })
  const poolConfig = { ...config, connectionTimeoutMillis: connectMs, Client }
  return new pg.Pool(poolConfig as never) as InstanceType<Pg['Pool']>
}

type ClientClass = new (config: object) => PgClient

interface ClientParts {
  readonly list: HostList
  readonly finder: Finder
  /** The connected clients, with their servers. */
  readonly live: Map<object, Host>
  readonly connectMs: number
}

type Callback = (error: Error | null, client: unknown) => void

/** A client class that connects to the server that is found, and to no other. */
function clientOf(Base: ClientClass, { list, finder, live, connectMs }: ClientParts): ClientClass {
  class FailoverClient extends Base {
    override connect(callback?: Callback): Promise<unknown> {
      if (callback === undefined) return this.connectToFound()
      callbackify(() => this.connectToFound())(callback)
      return Promise.resolve()
    }

    private async connectToFound(): Promise<this> {
      try {
        return await this.connectTo(await finder.find(connectMs))
      } catch (error) {
        cutOff(this)
        if (live.size === 0) finder.close()
        throw error
      }
    }

    private async connectTo({ host, port }: Host): Promise<this> {
      Object.assign(this, { host, port })
      const { connection } = this as { connection?: { stream?: { destroyed?: boolean } } }
      if (connection?.stream?.destroyed === true) throw new Error('timeout expired')
      await super.connect()
      // The pool listens from the end of this on, and a server can be replaced before.
      this.on('error', () => undefined)
      this.on('end', () => {
        live.delete(this)
        if (live.size === 0) finder.close()
      })
      live.set(this, { host, port })
      finder.watch()
      if (finder.accepts(await stateOf(this, { host, port }))) return this
      throw noServer(list.target)
    }
  }
  return FailoverClient
}

/** Classified as a lost connection. */
function replaced(): Error {
  return Object.assign(new Error('another server has been promoted'), { code: 'ECONNABORTED' })
}

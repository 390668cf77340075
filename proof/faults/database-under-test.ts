import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { cuttingProxy } from '@taskboard/kit/postgres/cut-answers'
import type { Randomness } from '../simulation/randomness.js'

/** A fault with all that is drawn for it, not begun. */
export interface PlannedFault {
  /** What it does, to whom and for how long. */
  readonly label: string
  /** Begins it, waits, and ends it: resolves when the database works again. */
  run(): Promise<void>
}

/** A database whose processes must survive its faults. */
export interface DatabaseUnderTest {
  /** Where the processes connect to: all faults are on this way. */
  readonly url: string
  /** The server behind it, for the checks. May change with a fault. */
  adminUrl(): string
  /** Each draws one of its kind, with equal chances. */
  readonly faults: readonly ((draw: Randomness) => PlannedFault)[]
  stop(): Promise<void>
}

/** A statement of the storage, or the end of a transaction. */
const COMMITTING = /taskboard_[a-z_]+_[0-9a-f]{8}|commit/

/** How long between two numbers of milliseconds. */
export const lasting = (draw: Randomness, leastMs: number, mostMs: number): number =>
  leastMs + draw.below(mostMs - leastMs)

/** One server with its data in a temporary directory, behind a proxy. */
export async function oneServer(): Promise<DatabaseUnderTest> {
  // What the operating system has written survives all faults here, so that nothing waits for a disk.
  const server = await startEmbeddedServer(['fsync=off', 'track_commit_timestamp=on', 'max_connections=120'])
  const proxy = await cuttingProxy(new URL(server.url))
  const url = new URL(server.url)
  url.port = String(proxy.port)

  async function asAdmin(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: server.url, application_name: 'faults' })
    client.on('error', () => undefined)
    await client.connect()
    try {
      for (const text of statements) await client.query(text)
    } finally {
      await client.end()
    }
  }

  const setReadOnly = (state: 'on' | 'off'): Promise<void> =>
    asAdmin(`alter system set default_transaction_read_only = ${state}`, 'select pg_reload_conf()')

  return {
    url: url.href,
    adminUrl: () => server.url,
    faults: [
      (draw) => {
        const [ms, nth] = [lasting(draw, 500, 2_500), 2 + draw.below(8)]
        return {
          label: `cuts off one answer in ${nth} after its commit, for ${ms} ms`,
          async run() {
            proxy.cutAnswersTo(COMMITTING, nth)
            await sleep(ms)
            proxy.cutAnswersTo(null)
          },
        }
      },
      (draw) => {
        const ms = lasting(draw, 100, 1_500)
        return {
          label: `stops PostgreSQL immediately, starts it after ${ms} ms`,
          async run() {
            await server.stopImmediately()
            await sleep(ms)
            await server.startAgain()
          },
        }
      },
      (draw) => {
        const ms = lasting(draw, 300, 2_000)
        return {
          label: `makes PostgreSQL read-only for ${ms} ms`,
          async run() {
            await setReadOnly('on')
            await sleep(ms)
            await setReadOnly('off')
          },
        }
      },
      (draw) => {
        const ms = lasting(draw, 500, 3_000)
        return {
          label: `swallows all bytes to and from PostgreSQL for ${ms} ms`,
          async run() {
            proxy.hang(true)
            await sleep(ms)
            proxy.hang(false)
          },
        }
      },
      () => ({
        label: 'terminates all connections of PostgreSQL',
        run: () =>
          asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
            where backend_type = 'client backend' and application_name <> 'faults'`),
      }),
    ],
    async stop() {
      await proxy.close()
      await server.stop()
    },
  }
}

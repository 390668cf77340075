import { isTaskboardError } from '@taskboard/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundedPool, type BoundedPool } from '../connection/bounded-pool.js'
import { isCollision, isOutage } from '../connection/connection-fault.js'
import type { PgQueryable, PgPool, PgPoolClient, PgQuery } from '../connection/pool.js'
import type { Statement } from '../connection/statement.js'
import { within, type Timeouts } from '../connection/timeouts.js'
import { createPositions, hasReached, type Position } from './position.js'

/** Reads from a replica what was committed on the primary before the call. */
export interface Replica {
  /**
   * Undefined when the replica can't answer, or not as of now: ask the primary. `toValues` receives the primary's clock.
   * Rejects only when the primary can't be reached.
   */
  read<Row>(
    asked: Statement<Row>,
    toValues: (now: number) => readonly unknown[],
  ): Promise<readonly Row[] | undefined>
}

export interface ReplicaParts {
  readonly primary: BoundedPool
  readonly readPool: PgPool
  readonly timeouts: Timeouts
  readonly toQuery: (asked: Statement<unknown>, values: readonly unknown[]) => PgQuery
}

/** For a connection, and for each response that takes a healthy server no time. */
const PROMPT_MS = 1_000
/** How long a read waits for a replica that is behind. */
const CATCH_UP_MS = 100

/**
 * The statements of a read are one transaction, so that a pooler sends them to one server. Each sees what had been replayed when it
 * began.
 */
function beginWithin({ statementTimeoutMs }: Timeouts): string {
  const serverMs = Math.max(1, Math.floor(statementTimeoutMs * 0.9))
  return `begin isolation level read committed read only; set local statement_timeout = ${serverMs}; set local idle_in_transaction_session_timeout = ${serverMs}`
}

export function createReplica({ primary, readPool, timeouts, toQuery }: ReplicaParts): Replica {
  const pool = boundedPool(readPool, {
    ...timeouts,
    connectTimeoutMs: Math.min(timeouts.connectTimeoutMs, PROMPT_MS),
  })
  const begin = beginWithin(timeouts)
  const readPosition = createPositions(primary, toQuery)
  const rest = createRest()

  async function isAt(client: PgQueryable, position: Position): Promise<boolean> {
    const { origin, timeline, lsn } = position
    const query = toQuery(hasReached, [origin, timeline, lsn])
    for (let delayMs = 1, waitedMs = 0; ; waitedMs += delayMs, delayMs *= 2) {
      const [row] = (await promptly(client.query(query))).rows as { readonly hasReached: boolean | null }[]
      if (row?.hasReached === true) return true
      if (typeof row?.hasReached !== 'boolean' || waitedMs + delayMs > CATCH_UP_MS) return false
      await sleep(delayMs)
    }
  }

  async function openAt(position: Promise<Position>): Promise<PgPoolClient | null> {
    const client = await pool.connect()
    try {
      await promptly(client.query({ text: begin, values: [] }))
      if (await isAt(client, await position)) return client
    } catch (error) {
      client.release(error instanceof Error ? error : true)
      throw error
    }
    void end(client)
    return null
  }

  return {
    async read<Row>(asked: Statement<Row>, toValues: (now: number) => readonly unknown[]) {
      const attempt = rest.begin()
      if (attempt === null) return undefined
      const asking = readPosition()
      const opening = openAt(asking).catch(() => null)
      const position = await asking.catch(nullUnlessOutage)
      const client = await opening
      if (client === null || position === null) {
        rest.failed(attempt)
        return undefined
      }
      try {
        const { rows } = await client.query(toQuery(asked, toValues(position.now)))
        rest.worked()
        return rows as Row[]
      } catch (error) {
        // What was read has been removed by what is replayed: the replica works.
        if (!isCollision(error)) rest.failed(attempt)
        return undefined
      } finally {
        void end(client)
      }
    },
  }
}

/** Some servers have no such positions, and some roles may not read them. */
function nullUnlessOutage(error: unknown): null {
  if (isTaskboardError(error) || isOutage(error)) throw error
  return null
}

/** No one waits for this. */
async function end(client: PgPoolClient): Promise<void> {
  const fault = await promptly(client.query({ text: 'commit', values: [] })).then(
    () => undefined,
    (error: Error) => error,
  )
  client.release(fault)
}

function promptly<T>(answer: Promise<T>): Promise<T> {
  return within(answer, PROMPT_MS, () => new Error(`no answer of the replica within ${PROMPT_MS} ms`))
}

/** Keeps callers away from something that failed, for longer each time, with one of them to try it again. */
export interface Rest {
  /** Whether to try now: null while it rests, otherwise what to pass to `failed`. */
  begin(): Attempt | null
  failed(attempt: Attempt): void
  worked(): void
}

export interface Attempt {
  readonly begunAt: number
}

const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/** `now` counts milliseconds, and never goes back. */
export function createRest(now: () => number = () => performance.now()): Rest {
  let lengthMs = 0
  let until = 0
  let failedAt = -Infinity
  return {
    begin() {
      const begunAt = now()
      if (begunAt < until) return null
      // The first one tries; those that follow wait for its outcome, or for as long again.
      if (lengthMs > 0) until = begunAt + lengthMs
      return { begunAt }
    },
    failed({ begunAt }) {
      // Others that failed at the same time count as one.
      if (begunAt < failedAt) return
      failedAt = now()
      lengthMs = Math.min(Math.max(2 * lengthMs, FIRST_MS), LONGEST_MS)
      until = failedAt + lengthMs
    },
    worked() {
      lengthMs = 0
      until = 0
    },
  }
}

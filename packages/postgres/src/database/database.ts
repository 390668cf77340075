import { isTaskboardError, TaskboardError } from '@taskboard/core'
import {
  createCommitSignal,
  createListeners,
  type CallContext,
  type BoundSettings,
  type CommitSignal,
  type Listeners,
  type WatchedLine,
} from '@taskboard/core/storage'
import pRetry, { type Options } from 'p-retry'
import { boardSchema, type BoardSchema } from '../connection/board-schema.js'
import { boundedPool, isUnanswered, type BoundedPool } from '../connection/bounded-pool.js'
import { isCollision, toVerbError, toVerbErrors } from '../connection/connection-fault.js'
import { createBatcher, type Batch, type BatcherOptions } from '../connection/batcher.js'
import type { PgConnection, PgPool, PgQuery, PgQueryable } from '../connection/pool.js'
import { soleConnectionOf, type SoleConnection } from '../connection/sole-connection.js'
import { createReplica } from '../replica/replica.js'
import { createNewDeliveries, type NewDeliveries } from './new-deliveries.js'
import { createRunners } from './runners.js'
import type { Statement } from '../connection/statement.js'
import { resolveTimeouts, type Timeouts } from '../connection/timeouts.js'

/** Runs a verb's statements: on a connection within a transaction, or on the pool. */
export interface Session {
  run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<readonly Row[]>
}

/**
 * Shared by all stores of one storage. Verbs without `tx` reject with `MISSING_FIELD` (`tx`) inside a transaction that holds
 * the pool's only connection.
 */
export interface Database {
  readonly settings: BoundSettings
  readonly commits: CommitSignal
  readonly newDeliveries: NewDeliveries
  /** Called with lines of tasks' logs after their commit, by this process and by others that it hears of. */
  readonly lines: Listeners<WatchedLine>
  /** Reports a committed line of a task's log to `lines`, and to other processes. */
  readonly reportLine: (line: WatchedLine) => void
  /** Records that an agent lost its task: the commit signals it, immediately or at the end of `Storage.transaction`. */
  recordRevocation(call: CallContext<PgConnection> | null): void
  /** As `write`, for statements that change nothing, or nothing that others wait for: signals no commit. */
  read<Row>(
    call: CallContext<PgConnection> | null,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /**
   * As `read`, with values made for the present (null: the storage's own). It reads from a replica if there is one that has everything that
   * was committed before the call. Not for background work, nor for reads that a write depends on.
   */
  readLatest<Row>(
    call: CallContext<PgConnection> | null,
    statement: Statement<Row>,
    toValues: (now: number | null) => readonly unknown[],
  ): Promise<readonly Row[]>
  /** One atomic statement that writes; retried after a collision unless it is part of a transaction. */
  write<Row>(
    call: CallContext<PgConnection> | null,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /**
   * Several statements, all or nothing. Within the host's transaction only these are rolled back when `work` rejects, so that
   * the transaction can continue. In its own transaction it is retried after a collision, so `work` may run several times. Each
   * of its statements then has `statementTimeoutMs`, if given.
   */
  atomically<T>(
    call: CallContext<PgConnection> | null,
    work: (session: Session) => Promise<T>,
    options?: { readonly statementTimeoutMs: number },
  ): Promise<T>
  /** `Storage.inOneCommit`. */
  inOneCommit<T>(
    call: CallContext<PgConnection>,
    work: (own: CallContext<PgConnection>) => Promise<T>,
  ): Promise<T>
  /** `createBatcher`, for verbs without `tx`. */
  join<In, Out>(batch: Batch<In, Out>, options: BatcherOptions<In>): (input: In) => Promise<Out>
  /** `Storage.transaction`. */
  transaction<T>(work: (tx: PgConnection) => Promise<T>): Promise<T>
}

export interface DatabaseParts {
  readonly pool: PgPool
  readonly settings: BoundSettings
  /** Leads to replicas of the database. */
  readonly readPool?: PgPool | undefined
  /** Default: the ones of `postgresStorage`. */
  readonly timeouts?: Timeouts | undefined
  /** Whether the server keeps the plans of statements. Off behind a pooler that shares sessions and doesn't support them. */
  readonly preparedStatements: boolean
  /** Default: the one that texts are written for. */
  readonly schema?: BoardSchema | undefined
  /** Default: one that signals within this process only. */
  readonly commits?: CommitSignal | undefined
  /** Default: one of this process only. */
  readonly lines?: Listeners<WatchedLine> | undefined
  /** Sends a line to other processes. */
  readonly sendLine?: ((line: WatchedLine) => void) | undefined
}

const AFTER_COLLISIONS: Options = {
  retries: 5,
  minTimeout: 5,
  maxTimeout: 100,
  randomize: true,
  shouldRetry: ({ error }) => isCollision(error),
}

export function createDatabase(parts: DatabaseParts): Database {
  const { settings, preparedStatements, schema = boardSchema(), commits = createCommitSignal() } = parts
  const { timeouts = resolveTimeouts({}), lines = createListeners<WatchedLine>(), sendLine, readPool } = parts
  const pool = boundedPool(parts.pool, timeouts)
  const sole = soleConnectionOf(parts.pool)
  const runners = createRunners({ pool, timeouts, preparedStatements, schema })
  const { run, runAlone, sessionOn, boundedOf, toQuery } = runners
  const replica = readPool && createReplica({ primary: pool, readPool, timeouts, toQuery })
  const revocations = createRevocations(commits)
  const ofHost = createOpenCount()

  /** Runs a verb without `tx`. */
  async function alone<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      sole?.refuseInside()
      return await again(attempt)
    } catch (error) {
      throw ofHost.isAny() && isUnanswered(error) ? withoutTx(error) : toVerbError(error)
    }
  }

  const database: Database = {
    settings,
    commits,
    newDeliveries: createNewDeliveries(),
    lines,
    reportLine(line) {
      lines.call(line)
      sendLine?.(line)
    },
    read(at, statement, values) {
      const tx = at?.tx
      if (tx !== undefined) return toVerbErrors(inTurn(tx, () => run(boundedOf(tx), statement, values)))
      return alone(() => runAlone(statement, values))
    },
    async readLatest(at, statement, toValues) {
      const now = at?.now ?? null
      if (replica !== undefined && at?.tx === undefined) {
        const found = await alone(() => replica.read(statement, (theirs) => toValues(now ?? theirs)))
        if (found !== undefined) return found
      }
      return database.read(at, statement, toValues(now))
    },
    async write(at, statement, values) {
      const tx = at?.tx
      if (tx !== undefined) return toVerbErrors(inTurn(tx, () => run(boundedOf(tx), statement, values)))
      const rows = await alone(() => runAlone(statement, values))
      commits.raise()
      return rows
    },
    async atomically(at, work, { statementTimeoutMs } = timeouts) {
      const tx = at?.tx
      if (tx !== undefined) {
        const own = boundedOf(tx)
        return toVerbErrors(inTurn(tx, () => withinSavepoint(tx, own, () => work(sessionOn(own)))))
      }
      const frame = { begin: beginWithin(statementTimeoutMs), commit: 'commit', statementTimeoutMs }
      const value = await alone(() => inTransaction(pool, frame, (own) => work(sessionOn(own))))
      commits.raise()
      return value
    },
    async inOneCommit(at, work) {
      if (at.tx !== undefined) return work(at)
      const { statementTimeoutMs } = timeouts
      const frame = { begin: beginWithin(statementTimeoutMs), commit: 'commit', statementTimeoutMs }
      const [value, tx] = await alone(() =>
        inTransaction(pool, frame, async (own) => [await work({ ...at, tx: own }), own] as const).catch(
          rethrowCollision,
        ),
      )
      revocations.committed(tx)
      return value
    },
    join: joinVia(sole),
    transaction: transactionsOf({ pool, sole, timeouts, revocations, ofHost }),
    recordRevocation: (at) => revocations.note(at),
  }
  return database
}

/** `Storage.transaction`. */
function transactionsOf({
  pool,
  sole,
  timeouts,
  revocations,
  ofHost,
}: {
  readonly pool: BoundedPool
  readonly sole: SoleConnection | null
  readonly timeouts: Timeouts
  readonly revocations: ReturnType<typeof createRevocations>
  readonly ofHost: ReturnType<typeof createOpenCount>
}): Database['transaction'] {
  return async (work) => {
    sole?.refuseInside()
    const frame = { begin: 'begin', commit: COMMIT_UNLESS_ABORTED, ...timeouts }
    let tx: PgConnection | undefined
    const inside = (own: PgConnection) => work((tx = own))
    const holding = sole === null ? inside : (own: PgConnection) => sole.hold(() => inside(own))
    const value = await ofHost.during(() => toVerbErrors(inTransaction(pool, frame, holding)))
    revocations.committed(tx)
    return value
  }
}

/** Whether any of the transactions of the host is open. */
function createOpenCount() {
  let open = 0
  return {
    isAny: () => open > 0,
    async during<T>(work: () => Promise<T>): Promise<T> {
      open += 1
      try {
        return await work()
      } finally {
        open -= 1
      }
    },
  }
}

/** The usual cause, while a transaction of the host is open: the statement waits for its locks, and the transaction for the statement. */
function withoutTx({ message }: TaskboardError): TaskboardError {
  const hint =
    'if it was called within taskboard.transaction, pass its tx: without it, it waits for that transaction'
  return new TaskboardError('SERVICE_UNAVAILABLE', `${message}; ${hint}`)
}

/** Remembers which transactions revoked a task from its agent, and signals it with their commits. */
function createRevocations(commits: CommitSignal) {
  const revoking = new WeakSet<PgConnection>()
  return {
    note(call: CallContext<PgConnection> | null): void {
      if (call?.tx === undefined) commits.raise({ revokes: true })
      else revoking.add(call.tx)
    },
    committed(tx: PgConnection | undefined): void {
      commits.raise({ revokes: tx !== undefined && revoking.has(tx) })
    },
  }
}

/** A call may join the batch of another, which runs outside the caller's transaction, so each call is checked on its own. */
function joinVia(sole: SoleConnection | null): Database['join'] {
  if (sole === null) return createBatcher
  return <In, Out>(batch: Batch<In, Out>, options: BatcherOptions<In>) => {
    const joined = createBatcher(batch, options)
    return async (input: In) => {
      sole.refuseInside()
      return joined(input)
    }
  }
}

/** The work that began last in each transaction of the host. */
const lastBegun = new WeakMap<PgConnection, Promise<unknown>>()

/** Runs the verbs of one transaction one after the other: a rollback to a savepoint would also undo what another verb did after it. */
function inTurn<T>(tx: PgConnection, work: () => Promise<T>): Promise<T> {
  const turn = (lastBegun.get(tx) ?? Promise.resolve()).then(work, work)
  lastBegun.set(tx, turn)
  return turn
}

let savepoints = 0

/** A part of the host's transaction that is rolled back when it fails; `tx` is the `host`'s connection with a timeout for every wait. */
async function withinSavepoint<T>(host: PgQueryable, tx: PgQueryable, work: () => Promise<T>): Promise<T> {
  savepoints = (savepoints + 1) % Number.MAX_SAFE_INTEGER
  const name = `taskboard_${savepoints}`
  await tx.query({ text: `savepoint ${name}`, values: [] })
  try {
    const value = await work()
    await tx.query({ text: `release savepoint ${name}`, values: [] })
    return value
  } catch (error) {
    const undo = { text: `rollback to savepoint ${name}; release savepoint ${name}`, values: [] }
    // Also undoes a statement without an answer, if it ever ends; nothing waits for that.
    if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) host.query(undo).catch(() => undefined)
    else await tx.query(undo)
    throw error
  }
}

interface Frame {
  readonly begin: string
  readonly commit: string
  readonly statementTimeoutMs: number
}

/**
 * When the host's code has caught the error of a failed statement, the server responds to the commit with a rollback and no error.
 * It rejects all other statements, so one precedes the commit.
 */
const COMMIT_UNLESS_ABORTED = 'select; commit'

/**
 * In one round trip. The server's timeout is a little shorter than ours, so that the connection stays usable. A process that
 * stops in the middle keeps its locks no longer than the timeout of a statement. Both settings end with the transaction.
 */
function beginWithin(statementTimeoutMs: number): string {
  const serverMs = Math.max(1, Math.floor(statementTimeoutMs * 0.9))
  return `begin; set local statement_timeout = ${serverMs}; set local idle_in_transaction_session_timeout = ${serverMs}`
}

/** The fault that a verb within a transaction has made an error of, if a retry of the transaction may help. */
function rethrowCollision(error: unknown): never {
  throw isTaskboardError(error) && isCollision(error.cause) ? error.cause : error
}

/** A separate transaction: the connection is acquired for the duration of `work`. */
async function inTransaction<T>(
  pool: BoundedPool,
  { begin, commit, statementTimeoutMs }: Frame,
  work: (tx: PgConnection) => Promise<T>,
): Promise<T> {
  const client = await pool.connect(statementTimeoutMs)
  let broken: Error | undefined
  let isOver = false
  // Otherwise code that kept the connection could use it outside any transaction, or within another one.
  const tx: PgConnection = {
    query: (query: PgQuery | string, values: readonly unknown[] = []) => {
      if (isOver) return Promise.reject(new TaskboardError('CONFLICT', 'the transaction is no longer open'))
      const rows = client.query(typeof query === 'string' ? { text: query, values: [...values] } : query)
      return rows as Promise<{ readonly rows: never[] }>
    },
  }
  try {
    await client.query({ text: begin, values: [] })
    try {
      const value = await work(tx)
      isOver = true
      await client.query({ text: commit, values: [] })
      return value
    } catch (error) {
      isOver = true
      await client.query({ text: 'rollback', values: [] }).catch((fault: unknown) => {
        broken = fault instanceof Error ? fault : new Error(String(fault))
      })
      throw error
    }
  } finally {
    client.release(broken)
  }
}

/**
 * Retries after a collision with another transaction. The first attempt runs before the retries are set up, which takes several
 * microseconds.
 */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (!isCollision(error)) throw error
    return pRetry((turn) => (turn === 1 ? Promise.reject(error as Error) : attempt()), AFTER_COLLISIONS)
  }
}

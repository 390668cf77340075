import { createCommitSignal, type At, type BoundSettings, type CommitSignal } from '@taskboard/core'
import pRetry from 'p-retry'
import { isCollision, toVerbError } from './connection-fault.js'
import type { PgConnection, PgPool } from './pool.js'
import type { Statement } from './statement.js'

/** Where a verb's statements go: a connection within a transaction, or the pool. */
export interface Session {
  run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<readonly Row[]>
}

/** What all stores of one storage share. */
export interface Database {
  readonly settings: BoundSettings
  readonly commits: CommitSignal
  /** One statement that changes nothing, or nothing that anybody waits for: it is not told of as a commit, and tried once. */
  read<Row>(
    at: At<PgConnection> | null,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /** One statement that writes, whole or not at all; tried again after a collision unless it is part of a transaction. */
  write<Row>(
    at: At<PgConnection> | null,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /**
   * Several statements, all or nothing. Within the host's transaction they are undone alone when `work` rejects, so that the
   * transaction can go on. Of its own it is tried again after a collision: `work` may run several times.
   */
  atomically<T>(at: At<PgConnection> | null, work: (session: Session) => Promise<T>): Promise<T>
  /** `Storage.transaction`. */
  transaction<T>(work: (tx: PgConnection) => Promise<T>): Promise<T>
}

export interface DatabaseParts {
  readonly pool: PgPool
  readonly settings: BoundSettings
  /** Whether the server is to keep the plans of statements. Off behind a pooler that shares sessions and does not know them. */
  readonly preparedStatements: boolean
  /** Default one that tells within this process only. */
  readonly commits?: CommitSignal | undefined
}

const COLLISION_RETRIES = { retries: 5, minTimeout: 5, maxTimeout: 100, randomize: true }
let savepoints = 0

export function createDatabase(parts: DatabaseParts): Database {
  const { pool, settings, preparedStatements, commits = createCommitSignal() } = parts

  async function run<Row>(
    connection: PgConnection,
    { name, text }: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const query = { text, values: [...values] }
    const { rows } = await connection.query(preparedStatements ? { ...query, name } : query)
    return rows as Row[]
  }

  const sessionOn = (connection: PgConnection): Session => ({
    run: (statement, values) => run(connection, statement, values),
  })

  /** A part of the host's transaction that leaves no trace when it fails. */
  async function withinSavepoint<T>(tx: PgConnection, work: (session: Session) => Promise<T>): Promise<T> {
    savepoints = (savepoints + 1) % Number.MAX_SAFE_INTEGER
    const name = `taskboard_${savepoints}`
    await tx.query({ text: `savepoint ${name}`, values: [] })
    try {
      const value = await work(sessionOn(tx))
      await tx.query({ text: `release savepoint ${name}`, values: [] })
      return value
    } catch (error) {
      await tx.query({ text: `rollback to savepoint ${name}; release savepoint ${name}`, values: [] })
      throw error
    }
  }

  return {
    settings,
    commits,
    read(at, statement, values) {
      const tx = at?.tx
      if (tx !== undefined) return translated(inTurn(tx, () => run(tx, statement, values)))
      return translated(run(pool, statement, values))
    },
    async write(at, statement, values) {
      const tx = at?.tx
      if (tx !== undefined) return translated(inTurn(tx, () => run(tx, statement, values)))
      const rows = await translated(again(() => run(pool, statement, values)))
      commits.raise()
      return rows
    },
    async atomically(at, work) {
      const tx = at?.tx
      if (tx !== undefined) return translated(inTurn(tx, () => withinSavepoint(tx, work)))
      const value = await translated(again(() => inTransaction(pool, (own) => work(sessionOn(own)))))
      commits.raise()
      return value
    },
    async transaction(work) {
      const value = await translated(inTransaction(pool, work))
      commits.raise()
      return value
    },
  }
}

/** What was begun last in each transaction of the host's. */
const lastBegun = new WeakMap<PgConnection, Promise<unknown>>()

/**
 * Lets the verbs of one transaction go one after the other: what another one did between a savepoint and the return to it
 * would be undone with it.
 */
function inTurn<T>(tx: PgConnection, work: () => Promise<T>): Promise<T> {
  const turn = (lastBegun.get(tx) ?? Promise.resolve()).then(work, work)
  lastBegun.set(tx, turn)
  return turn
}

/** A transaction of its own: the connection is lent for the length of `work`. */
async function inTransaction<T>(pool: PgPool, work: (tx: PgConnection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  let isOver = false
  // A pool's connection would go on to serve whoever kept it: outside of any transaction, or within that of another.
  const tx: PgConnection = {
    query: (query) => (isOver ? Promise.reject(new Error('the transaction is over')) : client.query(query)),
  }
  try {
    await client.query({ text: 'begin', values: [] })
    try {
      const value = await work(tx)
      isOver = true
      await client.query({ text: 'commit', values: [] })
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

/** Runs it again after a collision with another transaction. */
function again<T>(attempt: () => Promise<T>): Promise<T> {
  return pRetry(attempt, { ...COLLISION_RETRIES, shouldRetry: ({ error }) => isCollision(error) })
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toVerbError(error)
  }
}

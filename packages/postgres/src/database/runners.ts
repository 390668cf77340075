import { TaskboardError } from '@taskboard/core'
import type { BoardSchema } from '../connection/board-schema.js'
import { boundedConnection, type BoundedPool } from '../connection/bounded-pool.js'
import type { PgConnection, PgQuery, PgQueryable } from '../connection/pool.js'
import type { Statement } from '../connection/statement.js'
import type { Timeouts } from '../connection/timeouts.js'

interface RunnerParts {
  readonly pool: BoundedPool
  readonly timeouts: Timeouts
  readonly preparedStatements: boolean
  readonly schema: BoardSchema
}

/** Statements on a given connection, and on one of the pool. */
export function createRunners({
  pool,
  timeouts: { statementTimeoutMs },
  preparedStatements,
  schema,
}: RunnerParts) {
  /** By the host's transaction: one that left a statement unanswered takes no more. */
  const bounded = new WeakMap<PgConnection, PgQueryable>()

  function toQuery(asked: Statement<unknown>, values: readonly unknown[]): PgQuery {
    const { name, text } = schema.statement(asked)
    return { text, values: [...values], name: preparedStatements ? name : undefined }
  }

  async function run<Row>(
    connection: PgQueryable,
    asked: Statement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const { rows } = await connection.query(toQuery(asked, values))
    return rows as Row[]
  }

  async function runAlone<Row>(asked: Statement<Row>, values: readonly unknown[]): Promise<readonly Row[]> {
    const { rows } = await pool.query(toQuery(asked, values), asked.isBackground ? asked.name : undefined)
    return rows as Row[]
  }

  function boundedOf(host: PgConnection): PgQueryable {
    requireTransaction(host)
    const known = bounded.get(host)
    if (known !== undefined) return known
    if ('totalCount' in host) {
      const rule = 'tx must be a connection with an open transaction, not a pool'
      throw new TaskboardError('INVALID_FIELD', rule, { field: 'tx' })
    }
    const made = boundedConnection(host, statementTimeoutMs)
    bounded.set(host, made)
    return made
  }

  const sessionOn = (connection: PgQueryable) => ({
    run: <Row>(asked: Statement<Row>, values: readonly unknown[]) => run(connection, asked, values),
  })

  return { run, runAlone, sessionOn, boundedOf, toQuery }
}

/** A recent `pg` knows whether a transaction is open on a client. Without one, each write is committed immediately. */
function requireTransaction(host: object): void {
  const { getTransactionStatus } = host as { getTransactionStatus?: (this: object) => unknown }
  if (getTransactionStatus?.call(host) !== 'I') return
  const rule =
    'tx must have an open transaction: await its begin, and do not use it after its commit or rollback'
  throw new TaskboardError('INVALID_FIELD', rule, { field: 'tx' })
}

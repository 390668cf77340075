import { createPgliteStatements, type PgliteProtocol } from './pglite-statements.js'
import { createTurns } from './pglite-turns.js'
import type { PgPool, PgPoolClient, PgQuery } from '../connection/pool.js'

/** The part of a `PGlite` that is used here. */
export interface PgliteInstance extends PgliteProtocol {
  query(
    text: string,
    values: unknown[],
    options: { readonly parsers: PgliteParsers },
  ): Promise<{ readonly rows: unknown[] }>
  exec(
    text: string,
    options?: { readonly parsers: PgliteParsers },
  ): Promise<readonly { readonly rows: unknown[] }[]>
}

type PgliteParsers = Record<number, (text: string) => unknown>

/** By type (`oid` of `pg_type`), where PGlite's rows differ from the rows of `pg`. */
const PARSERS: PgliteParsers = {
  // int8, and an array of it
  20: (text) => text,
  1016: (text) =>
    text
      .slice(1, -1)
      .split(',')
      .filter((item) => item !== ''),
  // bytea
  17: (text) => Buffer.from(text.slice(2), 'hex'),
}

/**
 * The pool over a PGlite instance, the same one for each call. It is a single connection: the caller of `connect` has it
 * exclusively until `release`, and other queries wait in order. Don't await a query outside an open transaction inside
 * that transaction. A query with a name is prepared once. You close the instance yourself. A statement that you run on it
 * directly may become part of a transaction that is open here.
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite'
 * import { migrate, pglitePool } from '@taskboard/postgres'
 *
 * const pglite = new PGlite()
 * const pool = pglitePool(pglite)
 * await migrate(pool)
 * const { rows } = await pool.query({ text: 'select count(*)::int as tasks from taskboard.task', values: [] })
 * console.log(rows) // [ { tasks: 0 } ]
 * await pglite.close()
 * ```
 */
export function pglitePool(pglite: PgliteInstance): PgPool {
  const pool = pools.get(pglite) ?? createPool(pglite)
  pools.set(pglite, pool)
  return pool
}

const pools = new WeakMap<PgliteInstance, PgPool>()

function createPool(pglite: PgliteInstance): PgPool {
  const turns = createTurns()
  const runNamed = createPgliteStatements(pglite, PARSERS)

  async function run({ text, values, name }: PgQuery): Promise<{ readonly rows: unknown[] }> {
    if (name !== undefined) return runNamed({ text, values, name })
    if (values.length > 0) return pglite.query(text, values, { parsers: PARSERS })
    // Without values the text may contain several statements, as with `pg`.
    const results = await pglite.exec(text, { parsers: PARSERS })
    return { rows: results.at(-1)?.rows ?? [] }
  }

  async function connect(work?: string): Promise<PgPoolClient> {
    const end = await turns.take(work)
    let isReleased = false
    return {
      async query(asked) {
        if (isReleased) throw new Error('the connection was released')
        return run(asked)
      },
      release(broken) {
        if (isReleased) throw new Error('the connection was already released')
        isReleased = true
        if (broken === undefined || broken === false) return end()
        // A pool would close it. Here the next caller gets the same connection, so nothing may stay open on it.
        pglite.exec('rollback').then(end, end)
      },
    }
  }

  return {
    async query(asked) {
      const end = await turns.take()
      try {
        return await run(asked)
      } finally {
        end()
      }
    },
    options: { max: 1 },
    isSoleUser: true,
    connect: () => connect(),
    connectLater: connect,
  }
}

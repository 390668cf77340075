import { createPgliteStatements, type PgliteProtocol } from './pglite-statements.js'
import { createTurns } from './pglite-turns.js'
import type { PgPool, PgPoolClient, PgQuery } from './pool.js'

/** What is used of a `PGlite`. */
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

/** By type (`oid` of `pg_type`), where PGlite's own rows differ from those of `pg`. */
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
 * The pool over a PGlite instance, the same one for each call. It is a single connection: whoever gets it from `connect` has it
 * alone until `release`, and the queries of others wait meanwhile, in order. Do not await a query outside of an open
 * transaction inside that transaction. A query with a name is prepared once. You close the instance yourself. A statement that
 * you run on it directly may end up in a transaction that is open here.
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
    // Without values it may be several statements, as with `pg`.
    const results = await pglite.exec(text, { parsers: PARSERS })
    return { rows: results.at(-1)?.rows ?? [] }
  }

  async function connect(work?: string): Promise<PgPoolClient> {
    const end = await turns.take(work)
    let isReleased = false
    return {
      async query(asked) {
        if (isReleased) throw new Error('the connection was given back')
        return run(asked)
      },
      release(broken) {
        if (isReleased) throw new Error('the connection was given back already')
        isReleased = true
        if (broken === undefined || broken === false) return end()
        // A pool would close it. Here the next one gets the same, so nothing may be left open on it.
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

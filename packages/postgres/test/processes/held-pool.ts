import type { PgConnection, PgPool, PgQuery } from '../../src/pool.js'
import type { ProcessOptions } from './messages.js'

/**
 * The pool, but for one statement: the process that asks for it never hears of it again, as if it had been stopped right
 * `before` the statement left or right `after` its answer came.
 */
export function holdStatement(
  pool: PgPool,
  { statement, when }: NonNullable<ProcessOptions['held']>,
  onHeld: () => void,
): PgPool {
  let isHeld = false
  const query = async (connection: PgConnection, asked: PgQuery): Promise<{ readonly rows: unknown[] }> => {
    if (isHeld || !`${asked.name ?? ''} ${asked.text}`.includes(statement)) return connection.query(asked)
    isHeld = true
    if (when === 'after') await connection.query(asked)
    onHeld()
    return new Promise(() => undefined)
  }
  return {
    query: (asked) => query(pool, asked),
    async connect() {
      const client = await pool.connect()
      return { query: (asked) => query(client, asked), release: (broken) => client.release(broken) }
    },
  }
}

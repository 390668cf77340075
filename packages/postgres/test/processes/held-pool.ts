import type { PgQueryable, PgPool, PgQuery } from '../../src/connection/pool.js'
import type { ProcessOptions } from './messages.js'

/**
 * The pool, except for one statement: its caller never gets an answer, as if the process had been stopped immediately `before`
 * the statement was sent or `after` its answer arrived.
 */
export function holdStatement(
  pool: PgPool,
  { statement, when }: NonNullable<ProcessOptions['held']>,
  onHeld: () => void,
): PgPool {
  let isHeld = false
  const query = async (connection: PgQueryable, asked: PgQuery): Promise<{ readonly rows: unknown[] }> => {
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

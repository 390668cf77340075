import { createHash } from 'node:crypto'
import { TaskboardError } from '@taskboard/core'
import type { PgPool, PgQueryable } from './pool.js'
import type { Statement } from './statement.js'

/** The schema in which the texts of statements and migrations have their tables. */
const WRITTEN = 'taskboard'
/** PostgreSQL cuts off longer names. */
const MOST_BYTES = 63
/** No character that would end a quoted name, a string or the body of a function. */
const ALLOWED = /^[\p{L}_][\p{L}\p{M}\p{N}_ -]*$/u

/** The schema that has a board's tables, by default `taskboard`. Several boards can be in one database. */
export interface BoardSchema {
  /** As the option gives it. */
  readonly name: string
  /** On which its processes notify each other. */
  readonly channel: string
  /** The text of a statement or migration, on this schema. */
  readonly in: (text: string) => string
  readonly statement: <Row>(asked: Statement<Row>) => Statement<Row>
  /** The same connection, which takes texts as they are written. */
  readonly on: (connection: PgQueryable) => PgQueryable
  readonly onPool: (pool: PgPool) => PgPool
}

/** @throws TaskboardError `INVALID_CONFIG` (`schema`). */
export function boardSchema(name: unknown = WRITTEN): BoardSchema {
  requireName(name)
  if (name === WRITTEN) {
    return {
      name,
      channel: WRITTEN,
      in: (text) => text,
      statement: (asked) => asked,
      on: (connection) => connection,
      onPool: (pool) => pool,
    }
  }
  const quoted = `"${name}"`
  const inSchema = (text: string): string =>
    text.replaceAll(`'${WRITTEN}'`, `'${name}'`).replaceAll(/\btaskboard(?=[.;])/g, quoted)
  const on = (connection: PgQueryable): PgQueryable => ({
    query: (query) => connection.query({ ...query, text: inSchema(query.text) }),
  })
  const statements = new WeakMap<object, object>()
  return {
    name,
    // The name of a channel has fewer characters than that of a schema may have.
    channel: `${WRITTEN}_${digestOf(name)}`,
    in: inSchema,
    statement<Row>(asked: Statement<Row>): Statement<Row> {
      const known = statements.get(asked) as Statement<Row> | undefined
      if (known !== undefined) return known
      const text = inSchema(asked.text)
      // One connection may serve boards of several schemas, and keeps plans by their names.
      const made = { ...asked, text, name: asked.name?.replace(/[0-9a-f]{8}$/, digestOf(text)) }
      statements.set(asked, made)
      return made
    },
    on,
    onPool: (pool) => ({
      ...on(pool),
      async connect() {
        const client = await pool.connect()
        return { ...on(client), release: (broken) => client.release(broken) }
      },
    }),
  }
}

function requireName(name: unknown): asserts name is string {
  const isName =
    typeof name === 'string' &&
    ALLOWED.test(name) &&
    Buffer.byteLength(name) <= MOST_BYTES &&
    !name.toLowerCase().startsWith('pg_') &&
    name !== 'information_schema'
  if (isName) return
  throw new TaskboardError(
    'INVALID_CONFIG',
    `schema must be a schema name: at most ${MOST_BYTES} bytes of letters, digits, spaces, _ and -. It begins with a letter or _, but not with pg_`,
    { field: 'schema' },
  )
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

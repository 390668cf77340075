import { loadPglite } from './load-pglite.js'
import type { PgQuery } from '../connection/pool.js'

/** The part of a `PGlite` that runs prepared statements. */
export interface PgliteProtocol {
  /** Sends messages of PostgreSQL's protocol and resolves to the responses. */
  execProtocol(
    message: Uint8Array,
    options: { readonly throwOnError: false },
  ): Promise<{ readonly messages: readonly { readonly name: string }[] }>
  /** Waits until the instance is open; rejects once it is closed. */
  _checkReady(): Promise<void>
  runExclusive<T>(work: () => Promise<T>): Promise<T>
  /** Excludes transactions on the instance, as its own `query` does. */
  _runExclusiveTransaction<T>(work: () => Promise<T>): Promise<T>
  readonly serializers: Readonly<Record<number, ((value: unknown) => string) | undefined>>
  readonly parsers: Parsers
}

/** Parsers of text by type (`oid` of `pg_type`). */
type Parsers = Readonly<Record<number, ((text: string, type?: number) => unknown) | undefined>>

/** A query with a name. */
type NamedQuery = PgQuery & { readonly name: string }

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** A statement that the server has parsed and described. */
interface Prepared {
  readonly text: string
  readonly serializers: readonly ((value: unknown) => string)[]
  readonly columns: readonly Column[]
}

interface Answer {
  readonly rows: unknown[]
  readonly error: Error | undefined
  readonly isInTransaction: boolean
}

/** The server's messages that are read. */
type Message =
  | { readonly name: 'parameterDescription'; readonly dataTypeIDs: readonly number[] }
  | {
      readonly name: 'rowDescription'
      readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
    }
  | { readonly name: 'dataRow'; readonly fields: readonly (string | null)[] }
  | { readonly name: 'readyForQuery'; readonly status: string }
  | (Error & { readonly name: 'error' })

/** More than the storage has, so that only a host's own names can evict each other. */
const MOST_PREPARED = 500

/**
 * Runs named queries as prepared statements: the server parses and describes each once, and keeps its plan. Planning is most of
 * the cost of a statement in WebAssembly. Keeps at most 500 and evicts the least recently used.
 */
export function createPgliteStatements(
  pglite: PgliteProtocol,
  parsers: Parsers,
): (query: NamedQuery) => Promise<{ readonly rows: unknown[] }> {
  /** By name, the most recently used last. */
  const known = new Map<string, Prepared>()

  async function send(parts: readonly Uint8Array[]): Promise<readonly Message[]> {
    const { messages } = await pglite.execProtocol(Buffer.concat(parts), { throwOnError: false })
    return messages as readonly Message[]
  }

  async function prepare({ name, text }: NamedQuery): Promise<Prepared> {
    const { serialize } = (await loadPglite()).protocol
    const outdated = known.size < MOST_PREPARED ? name : (known.keys().next().value ?? name)
    known.delete(outdated)
    const messages = await send([
      serialize.close({ type: 'S', name: outdated }),
      // Another part of the process may have prepared a statement under this name.
      serialize.close({ type: 'S', name }),
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ])
    const types = find(messages, 'parameterDescription')?.dataTypeIDs ?? []
    const fields = find(messages, 'rowDescription')?.fields ?? []
    const error = find(messages, 'error')
    if (error !== undefined) throw error
    const prepared = {
      text,
      serializers: types.map((type) => pglite.serializers[type] ?? String),
      columns: fields.map(({ name: column, dataTypeID: type }) => {
        const parse = parsers[type] ?? pglite.parsers[type]
        return { name: column, parse: parse ? (value: string) => parse(value, type) : asText }
      }),
    }
    known.set(name, prepared)
    return prepared
  }

  async function execute(name: string, prepared: Prepared, values: readonly unknown[]): Promise<Answer> {
    const { serialize } = (await loadPglite()).protocol
    const texts = values.map((value, index) =>
      value === null || value === undefined ? null : (prepared.serializers[index] ?? String)(value),
    )
    const messages = await send([
      serialize.bind({ statement: name, values: texts }),
      serialize.execute({}),
      serialize.sync(),
    ])
    return readAnswer(messages, prepared.columns)
  }

  async function run(query: NamedQuery, isRetry = false): Promise<{ readonly rows: unknown[] }> {
    const { name, text, values } = query
    const kept = known.get(name)
    if (kept !== undefined) {
      if (kept.text !== text) throw new Error(`the name ${name} is in use by another prepared statement`)
      known.delete(name)
      known.set(name, kept)
    }
    const { rows, error, isInTransaction } = await execute(name, kept ?? (await prepare(query)), values)
    if (error === undefined) return { rows }
    if (!isOutdated(error)) throw error
    known.delete(name)
    if (isInTransaction || isRetry) throw error
    return run(query, true)
  }

  return async (query) => {
    await pglite._checkReady()
    return pglite._runExclusiveTransaction(() => pglite.runExclusive(() => run(query)))
  }
}

const asText = (text: string): unknown => text

function find<Name extends Message['name']>(
  messages: readonly Message[],
  name: Name,
): Extract<Message, { readonly name: Name }> | undefined {
  return messages.find(
    (message): message is Extract<Message, { readonly name: Name }> => message.name === name,
  )
}

function readAnswer(messages: readonly Message[], columns: readonly Column[]): Answer {
  const rows: unknown[] = []
  let error: Error | undefined
  let isInTransaction = false
  for (const message of messages) {
    if (message.name === 'dataRow') rows.push(toRow(message.fields, columns))
    else if (message.name === 'error') error ??= message
    else if (message.name === 'readyForQuery') isInTransaction = message.status !== 'I'
  }
  return { rows, error, isInTransaction }
}

function toRow(fields: readonly (string | null)[], columns: readonly Column[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [index, { name, parse }] of columns.entries()) {
    const text = fields[index] ?? null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

/**
 * Whether the server rejected a statement before it ran, because it was deallocated (`DEALLOCATE`), or the columns of its result
 * have changed with the tables.
 */
function isOutdated(error: Error): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === '26000' || (code === '0A000' && error.message.includes('cached plan'))
}

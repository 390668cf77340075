import type { CallOptions, ClientPaths } from './client-options.js'
import { type Connection, notTaskboard, send } from './send.js'
import { type Operations, operations } from './wire.js'

/** The `operationId` of an operation in the OpenAPI document. */
export type OperationId = keyof Operations

/** The ids of the path, then the query or the body. */
type Arguments<Operation extends Operations[OperationId]> = [
  ...Operation['params'],
  ...Input<Operation['query'], 'query'>,
  ...Input<Operation['body'], 'body'>,
]

type Input<Value, Name> = [Value] extends [never]
  ? []
  : undefined extends Value
    ? Name extends 'query'
      ? [query?: Value]
      : [body?: Value]
    : Name extends 'query'
      ? [query: Value]
      : [body: Value]

/** Calls an operation: first the ids of its path, then its query or body. */
export type Method<Id extends OperationId> = (
  ...args: [...Arguments<Operations[Id]>, options?: CallOptions]
) => Promise<Operations[Id]['answer']>

/** The entries of a page: its only list. */
type EntryOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Entry)[] ? Entry : never
}[keyof Answer]

/** Reads all pages of a list, one after the other as the loop asks for them. */
export type AllMethod<Id extends OperationId> = (
  ...args: [...Arguments<Operations[Id]>, options?: CallOptions]
) => AsyncGenerator<EntryOf<Operations[Id]['answer']>, void, undefined>

/** Makes the methods of the operations. */
export interface Operating {
  readonly method: <Id extends OperationId>(id: Id) => Method<Id>
  readonly all: <Id extends OperationId>(id: Id) => AllMethod<Id>
  /** An operation with all of its parts, for methods that are more than their operation. */
  readonly call: (id: OperationId, parts: Parts, options?: CallOptions) => Promise<unknown>
}

interface Parts {
  readonly ids?: readonly unknown[]
  readonly query?: unknown
  readonly body?: unknown
  /** Replaces whether a repeat is harmless, or known by its key. */
  readonly repeats?: 'key' | 'repeatable' | 'never'
  /** A public operation with the credential. */
  readonly sendsCredential?: boolean
}

interface Page {
  readonly next_cursor?: string | null
}

export function operating(connection: Connection): Operating {
  async function call(id: OperationId, parts: Parts, options?: CallOptions): Promise<unknown> {
    const [method = '', pattern = '', ...traits] = operations[id].split(' ')
    // One that is given takes the place of all of the operation's.
    const repeats: string | readonly string[] = parts.repeats ?? traits
    const path = pathOf(connection.paths, pattern, parts.ids ?? []) + queryText(parts.query)
    const request = {
      method,
      path,
      body: parts.body,
      isPublic: traits.includes('public') && parts.sendsCredential !== true,
      isRepeatable: repeats.includes('repeatable'),
      key: repeats.includes('key') ? ('made' as const) : undefined,
    }
    const answer = await send(connection, request, options)
    const isObject = typeof answer.body === 'object' || answer.status === 204
    if (!isObject && id !== 'getReference') throw notTaskboard(`${method} ${path.split('?')[0]}`, answer)
    return answer.body
  }

  return {
    call,
    method: <Id extends OperationId>(id: Id) =>
      (async (...args: readonly unknown[]) => call(id, ...partsOf(id, args))) as Method<Id>,
    all: <Id extends OperationId>(id: Id) =>
      async function* entries(...args: readonly unknown[]) {
        const [parts, options] = partsOf(id, args)
        let cursor: string | null | undefined
        do {
          const query = { ...(parts.query as object | undefined), ...(cursor !== undefined && { cursor }) }
          const page = (await call(id, { ...parts, query }, options)) as Page
          yield* Object.values(page).find((member) => Array.isArray(member)) ?? []
          cursor = page.next_cursor
        } while (typeof cursor === 'string')
      } as AllMethod<Id>,
  }
}

/** Splits the arguments of a method as its operation declares them. */
function partsOf(id: OperationId, args: readonly unknown[]): [Parts, CallOptions | undefined] {
  const count = operations[id].split('{').length - 1
  const rest = args.slice(count)
  const [, input] = / (query|body)/.exec(operations[id]) ?? []
  const value = input && { [input]: rest.shift() }
  return [{ ids: args.slice(0, count), ...(value as object | undefined) }, rest[0] as CallOptions | undefined]
}

/** The path of an operation below the base URL, with the ids. */
function pathOf(paths: ClientPaths, pattern: string, ids: readonly unknown[]): string {
  const left = [...ids]
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = left.shift()
    // An empty id, or one that addresses resolve as a folder, would call another operation.
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${name} must be an id`)
    return encodeURIComponent(id)
  })
  if (path.startsWith('/v2/')) return paths.v2 + path.slice('/v2'.length)
  return path === '/api/board' ? paths.board : paths.webhooks
}

function queryText(query: unknown): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

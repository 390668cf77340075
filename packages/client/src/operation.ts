import type { CallOptions, ClientPaths } from './client-options.js'
import { type Connection, notTaskboard, send } from './send.js'
import type { Operations } from './wire.js'

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

/**
 * What methods send, by their names: `POST /v2/tasks body key`. `query` and `body` say what a caller passes. `key`: the server knows a retry
 * by its Idempotency-Key. `repeatable`: a second one changes nothing. `public`: it is sent without the credential. `text`: the
 * response isn't JSON. A name stands for all pages of the method that has it.
 */
export interface Requests {
  readonly [name: string]: string | Requests
}

/** Makes the methods of the operations. */
export interface Operating {
  /** A method for each request, in objects that follow the request names. */
  readonly methods: (requests: Requests) => object
  /** A request with all of its parts, for methods that are more than their operation. */
  readonly call: (request: string, parts: Parts, options?: CallOptions) => Promise<unknown>
}

interface Parts {
  readonly ids?: readonly unknown[]
  readonly query?: unknown
  readonly body?: unknown
  /** Replaces whether a retry is harmless. */
  readonly repeats?: 'repeatable' | 'never'
  /** A public operation with the credential. */
  readonly sendsCredential?: boolean
}

interface Page {
  readonly next_cursor?: string | null
}

export function operating(connection: Connection): Operating {
  async function call(request: string, parts: Parts, options?: CallOptions): Promise<unknown> {
    const [method = '', address = '', ...traits] = request.split(' ')
    const [pattern = '', fixed] = address.split('?')
    // One that is given takes the place of all of the operation's.
    const repeats: string | readonly string[] = parts.repeats ?? traits
    const path = pathOf(connection.paths, pattern, parts.ids ?? []) + queryText(parts.query, fixed)
    const sent = {
      method,
      path,
      body: parts.body,
      isPublic: traits.includes('public') && parts.sendsCredential !== true,
      isRepeatable: repeats.includes('repeatable'),
      key: repeats.includes('key') ? ('made' as const) : undefined,
    }
    const answer = await send(connection, sent, options)
    const isObject = typeof answer.body === 'object' || answer.status === 204
    if (!isObject && !traits.includes('text')) throw notTaskboard(`${method} ${path.split('?')[0]}`, answer)
    return answer.body
  }

  async function* entries(request: string, args: readonly unknown[]): AsyncGenerator {
    const [parts, options] = partsOf(request, args)
    let cursor: string | null | undefined
    do {
      const query = { ...(parts.query as object | undefined), ...(cursor !== undefined && { cursor }) }
      const page = (await call(request, { ...parts, query }, options)) as Page
      yield* Object.values(page).find((member) => Array.isArray(member)) ?? []
      cursor = page.next_cursor
    } while (typeof cursor === 'string')
  }

  function methods(requests: Requests): object {
    const made = Object.entries(requests).map(([name, request]) => {
      if (typeof request === 'object') return [name, methods(request)]
      const paged = requests[request]
      return [
        name,
        typeof paged === 'string'
          ? (...args: readonly unknown[]) => entries(paged, args)
          : async (...args: readonly unknown[]) => call(request, ...partsOf(request, args)),
      ]
    })
    return Object.fromEntries(made) as object
  }

  return { call, methods }
}

/** Splits the arguments of a method as its request declares them. */
function partsOf(request: string, args: readonly unknown[]): [Parts, CallOptions | undefined] {
  const count = request.split('{').length - 1
  const rest = args.slice(count)
  const [, input] = / (query|body)/.exec(request) ?? []
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

function queryText(query: unknown, fixed: string | undefined): string {
  const parameters = new URLSearchParams(fixed)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

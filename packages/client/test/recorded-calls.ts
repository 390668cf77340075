import { createClient } from '../src/index.js'

/** A method of the client, and the request that it sends. */
export interface RecordedCall {
  /** Such as `tasks.approvals.request`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string | undefined
}

type Callable = (...args: readonly unknown[]) => unknown

/** Calls every method of a client but `skipped`, with an id for each that its path has, and then an empty query or body. */
export async function recordCalls(skipped: ReadonlySet<string>): Promise<readonly RecordedCall[]> {
  const sent: Omit<RecordedCall, 'name'>[] = []
  const record = (url: string, { method = 'GET', body }: RequestInit): Promise<Response> => {
    const { pathname: path, search: query } = new URL(url)
    sent.push({ method, path, query, body: body as string | undefined })
    const type = path.endsWith('/reference') ? 'text/html' : 'application/json'
    return Promise.resolve(new Response('{}', { headers: { 'content-type': type } }))
  }
  const client = createClient({ baseUrl: 'http://board.example', key: 'tb_key', fetch: record })
  const calls: RecordedCall[] = []
  for (const [name, method] of methodsOf(client, '')) {
    if (skipped.has(name)) continue
    for (let ids = 0; sent.length === 0 && ids < 4; ids += 1) await callWith(method, ids).catch(onlyTypeError)
    calls.push(...sent.splice(0).map((request) => ({ name, ...request })))
  }
  return calls
}

async function callWith(method: Callable, ids: number): Promise<void> {
  const result = method(...Array.from({ length: ids }, (_, index) => `id${index + 1}`), {})
  const isIterable = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
  if (isIterable) for await (const _ of result as AsyncIterable<unknown>);
  else await result
}

/** Too few ids. */
function onlyTypeError(error: unknown): void {
  if (!(error instanceof TypeError)) throw error
}

/** The methods of an object and of those in it, by their dotted names. */
export function methodsOf(value: object, prefix: string): readonly (readonly [string, Callable])[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (typeof member === 'function') return [[prefix + name, member as Callable] as const]
    return typeof member === 'object' && member !== null ? methodsOf(member, `${prefix}${name}.`) : []
  })
}

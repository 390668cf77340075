import type { RequestBody } from '@taskboard/core/transport'
import { openBoard, readDocument, type Ask } from './hostile-board.js'
import type { HostileRequest } from './request-costs.js'

/** Values that fill about `bytes` bytes of JSON. */
export const fillings: Readonly<Record<string, (bytes: number) => string>> = {
  'short texts': (bytes) => `[${Array.from({ length: bytes / 4 }, () => '"x"').join(',')}]`,
  'empty lists': (bytes) => `[${Array.from({ length: bytes / 3 }, () => '[]').join(',')}]`,
  'deep lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'many keys': (bytes) => `{${Array.from({ length: bytes / 12 }, (_, key) => `"k${key}":"x"`).join(',')}}`,
  'the same key': (bytes) => `{${Array.from({ length: bytes / 8 }, () => '"k":"x"').join(',')}}`,
  'a long text': (bytes) => `"${'x'.repeat(bytes)}"`,
  escapes: (bytes) => `"${'\\u0041'.repeat(bytes / 6)}"`,
  'characters of no width': (bytes) => `"${'\u200b'.repeat(bytes / 3)}"`,
  'characters that normalize': (bytes) => `"${'\ufdfa'.repeat(bytes / 3)}"`,
  marks: (bytes) => `"${'e\u0301\u0323'.repeat(bytes / 5)}"`,
  dots: (bytes) => `"${'.'.repeat(bytes)}x"`,
  digits: (bytes) => '1'.repeat(bytes),
  'a long fraction': (bytes) => `0.${'1'.repeat(bytes)}`,
}

interface Target {
  readonly path: string
  readonly query: string
  readonly method: string
  readonly members: readonly string[]
}

/** What takes a body. */
async function targetsOf(ask: Ask, paths: ReadonlySet<string>): Promise<readonly Target[]> {
  const document = await readDocument(ask)
  return [
    ...['add', 'move', 'chat'].map((action) => ({
      path: '/api/board',
      query: `action=${action}`,
      method: 'POST',
      members: ['title', 'tags', 'metadata', 'task_id', 'message'],
    })),
    { path: '/api/webhooks/create', query: '', method: 'POST', members: ['url', 'events', 'secret'] },
    ...Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/v2/') && paths.has(path.replaceAll(/\{(\w+)\}/g, ':$1')))
      .flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { requestBody }]) => {
          const properties = requestBody?.content['application/json']?.schema.properties
          return properties === undefined
            ? []
            : [{ path, query: '', method: method.toUpperCase(), members: Object.keys(properties) }]
        }),
      ),
  ]
}

/**
 * Requests of about `bytes` bytes to every operation of the OpenAPI document that takes a body: each of its members filled with
 * each of the fillings, and the whole body. `isParsed`: the host has parsed them.
 */
export async function hostileRequests(bytes: number, isParsed: boolean): Promise<readonly HostileRequest[]> {
  const { ask, paths } = await openBoard()
  const targets = await targetsOf(ask, paths)
  const values = Object.fromEntries(Object.entries(fillings).map(([kind, fill]) => [kind, fill(bytes)]))
  // Parsed once: a deep one takes the parser longer than anything here.
  const parsedValues = new Map<string, unknown>()
  const parsed = (kind: string): unknown => {
    if (!parsedValues.has(kind)) parsedValues.set(kind, JSON.parse(values[kind] ?? 'null'))
    return parsedValues.get(kind)
  }
  return targets.flatMap(({ path, query, method, members }) =>
    Object.entries(values).flatMap(([kind, value]) => {
      return [...members, null].map((member) => {
        const text = (): string => (member === null ? value : `{"${member}":${value}}`)
        return {
          name: `${method} ${path} ${query}: ${kind} as ${member ?? 'the body'}`,
          prepareFloor: () => {
            const body = text()
            return () => JSON.parse(body) as unknown
          },
          prepare: () => {
            const body = isParsed ? parsedBody(member, parsed(kind)) : unreadBody(text())
            return async () => (await ask(method, path, { body, query })).status
          },
        }
      })
    }),
  )
}

function parsedBody(member: string | null, value: unknown): RequestBody {
  return { kind: 'parsed', value: member === null ? value : { [member]: value } }
}

function unreadBody(text: string): RequestBody {
  const encoded = new TextEncoder().encode(text)
  return { kind: 'unread', read: () => encoded }
}

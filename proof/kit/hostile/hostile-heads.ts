import { toFetchHandler, type RequestBody } from '@taskboard/core/transport'
import {
  openBoard,
  openTaskboard,
  readDocument,
  type Ask,
  type Asked,
  type Described,
} from './hostile-board.js'
import type { HostileRequest } from './request-costs.js'

/** Texts of about `bytes` bytes. */
type Fillings = Readonly<Record<string, (bytes: number) => string>>

const times =
  (text: string) =>
  (bytes: number): string =>
    text.repeat(bytes / text.length)

const numbered =
  (before: string, after: string) =>
  (bytes: number): string =>
    Array.from(
      { length: bytes / (before.length + 5 + after.length) },
      (_, index) => `${before}${index}${after}`,
    ).join('')

const queries: Fillings = {
  'short names': times('a&'),
  'different names': numbered('k', '=x&'),
  'different escaped names': numbered('%6b', '=x&'),
  'a known name': times('limit=1&'),
  'two known names': times('limit=1&cursor=x&'),
  'a known name that is escaped': times('l%69mit=1&'),
  'empty pieces': times('&'),
  'empty pieces and an escape': (bytes) => `%61${'&'.repeat(bytes)}`,
  'equals signs': times('='),
  'empty names': times('=x&'),
  'broken escapes': times('%'),
  'broken characters': times('%ff'),
  'plus signs': times('+'),
  'a long name': times('x'),
  'a long name that is escaped': times('%61'),
}

const values: Fillings = {
  letters: times('x'),
  digits: times('1'),
  'a long fraction': (bytes) => `0.${'1'.repeat(bytes)}`,
  escapes: times('%61'),
  'escaped quotation marks': times('%22'),
  'characters of no width': times('%e2%80%8b'),
  'characters that normalize': times('%ef%b7%ba'),
  dots: times('.'),
  commas: times(','),
  dashes: times('-'),
  'plus signs': times('+'),
}

const headerNames = [
  'accept',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'origin',
  'sec-fetch-site',
  'x-forwarded-prefix',
  'x-request-id',
]

/** Values of about `bytes` bytes for whatever header. */
export const headerValues: Fillings = {
  letters: times('x'),
  digits: times('1'),
  blanks: times(' '),
  tabs: (bytes) => `x${'\t'.repeat(bytes)}x`,
  commas: times(','),
  semicolons: times(';'),
  'quotation marks': times('"'),
  dots: times('.'),
  'short paths': times('/a'),
  'a path and what it cannot have': (bytes) => `${'/a'.repeat(bytes / 2)}/$`,
  'a token': (bytes) => `Bearer ${'e.'.repeat(bytes / 2)}`,
  'a token and what it cannot have': (bytes) => `Bearer ${'='.repeat(bytes)}x`,
  'a URL': (bytes) => `https://${'a.'.repeat(bytes / 2)}example`,
  'parameters of a type': (bytes) => `application/json${'; charset'.repeat(bytes / 9)}`,
  'a quoted charset': (bytes) => `application/json; charset="${'x'.repeat(bytes)}`,
  'blanks before a charset': (bytes) => `application/json;${' '.repeat(bytes)}charset`,
  'many types': times('application/xml;q=0.1,'),
}

/** What bodies have to have, so that the request gets further than to them. */
const sample: Readonly<Record<string, unknown>> = {
  title: 'x',
  name: 'x',
  message: 'x',
  url: 'https://hooks.example/',
  events: ['task.created'],
  scopes: ['tasks:read'],
}

interface Target {
  readonly method: string
  readonly path: string
  /** What every query begins with. */
  readonly query: string
  readonly parameters: NonNullable<Described['parameters']>
  readonly body: RequestBody
}

/**
 * Requests to every operation of the OpenAPI document with about `bytes` bytes of a query, of one of its parameters, of a parameter of
 * the path, of a header or of many.
 */
export async function hostileHeads(bytes: number): Promise<readonly HostileRequest[]> {
  const { ask, paths } = await openBoard()
  const { paths: described } = await readDocument(ask)
  const targets = Object.entries(described)
    .filter(([path]) => paths.has(path.replaceAll(/\{(\w+)\}/g, ':$1')))
    .flatMap(([path, methods]) => Object.entries(methods).map((one) => targetOf(path, ...one)))
  const filled = { queries: fill(bytes, queries), values: fill(bytes, values) }
  const headers = fill(bytes, headerValues)
  return [
    ...targets.flatMap((target) => [
      ...queryRequests(ask, target, filled),
      ...headers.flatMap(([kind, text]) =>
        headerNames.map((name) =>
          request(ask, target, `${kind} as ${name}`, () => ({
            query: target.query,
            headers: { [name]: text },
          })),
        ),
      ),
    ]),
    ...(await manyHeaders(bytes)),
  ]
}

/** Made once: all requests together would take more memory than there is. */
type Filled = readonly (readonly [kind: string, text: string])[]

function fill(bytes: number, fillings: Fillings): Filled {
  return Object.entries(fillings).map(([kind, filled]) => [kind, filled(bytes)])
}

function targetOf(path: string, method: string, { parameters = [], requestBody }: Described): Target {
  const members = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {})
  const value = Object.fromEntries(Object.entries(sample).filter(([name]) => members.includes(name)))
  return {
    method: method.toUpperCase(),
    path,
    // The board API sorts its operations by a parameter.
    query: path === '/api/board' ? `action=${method === 'get' ? 'todo' : 'add'}` : '',
    parameters: parameters.filter(({ in: place }) => place === 'path' || place === 'query'),
    body: requestBody === undefined ? { kind: 'none' } : { kind: 'parsed', value },
  }
}

function queryRequests(
  ask: Ask,
  target: Target,
  filled: { readonly queries: Filled; readonly values: Filled },
): readonly HostileRequest[] {
  const before = target.query === '' ? '' : `${target.query}&`
  return [
    ...filled.queries.map(([kind, text]) =>
      request(ask, target, `${kind} as the query`, () => ({ query: before + text })),
    ),
    ...target.parameters.flatMap(({ name, in: place }) =>
      filled.values.map(([kind, text]) =>
        request(ask, target, `${kind} as ${name}`, () =>
          place === 'path'
            ? { query: target.query, params: { [name]: decodeURIComponent(text) } }
            : { query: `${before}${name}=${text}` },
        ),
      ),
    ),
  ]
}

function request(ask: Ask, { method, path, body }: Target, name: string, make: () => Asked): HostileRequest {
  return {
    name: `${method} ${path}: ${name}`,
    prepareFloor: () => {
      const { query } = make()
      return () => new URLSearchParams(query)
    },
    prepare: () => {
      const asked = make()
      return async () => (await ask(method, path, { body, ...asked })).status
    },
  }
}

async function manyHeaders(bytes: number): Promise<readonly HostileRequest[]> {
  const handle = toFetchHandler(await openTaskboard())
  const lists: Readonly<Record<string, readonly [string, string][]>> = {
    'many headers': Array.from({ length: bytes / 10 }, (_, index) => [`x-${index}`, 'x']),
    'a header many times': Array.from({ length: bytes / 10 }, () => ['accept', 'x']),
  }
  return Object.entries(lists).flatMap(([kind, list]) =>
    ['/api/board?action=todo', '/v2/tasks', '/v2/openapi.json', '/v2/nothing'].map((path) => ({
      name: `GET ${path}: ${kind}`,
      prepareFloor: () => () => new Headers([...list]),
      prepare: () => {
        const asked = new Request(`https://board.example${path}`, { headers: [...list] })
        return async () => (await handle(asked, { clientAddress: '192.0.2.1' })).status
      },
    })),
  )
}

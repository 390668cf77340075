import type { RequestBody, Route } from '@taskboard/core/transport'
import { getNamedType, isInputObjectType, isLeafType, parse, type GraphQLField } from 'graphql'
import { fillings } from '@taskboard/kit/hostile/hostile-bodies'
import { openTaskboard } from '@taskboard/kit/hostile/hostile-board'
import { headerValues } from '@taskboard/kit/hostile/hostile-heads'
import type { HostileRequest } from '@taskboard/kit/hostile/request-costs'
import { taskboardGraphql, taskboardSchema } from '../src/index.js'
import { hostileDocuments } from './hostile-documents.js'

/** Values with many errors, each of which may be reported. */
const faults: Readonly<Record<string, (bytes: number) => string>> = {
  'nulls and long texts': (bytes) =>
    `[${`"${'x'.repeat(bytes / 20)}",`.repeat(10)}${'null,'.repeat(bytes / 100)}null]`,
  'numbers and long texts': (bytes) =>
    `[${`"${'x'.repeat(bytes / 20)}",`.repeat(10)}${'1,'.repeat(bytes / 100)}1]`,
  'unknown members and a long text': (bytes) => strangers(`"${'x'.repeat(bytes - 1_000)}"`),
  'unknown members and a long text of escapes': (bytes) =>
    strangers(`"${'\\u0001'.repeat((bytes - 1_000) / 6)}"`),
  'unknown members and a list of long texts': (bytes) =>
    strangers(`[${`"${'x'.repeat(bytes / 11)}",`.repeat(10)}""]`),
  'as many unknown members as there may be': (bytes) =>
    `{${Array.from({ length: Math.min(19_000, bytes / 12) }, (_, key) => `"k${key}":"x"`).join(',')}}`,
}

function strangers(rest: string): string {
  const names = Array.from({ length: 60 }, (_, index) => `"stranger${index}":1`)
  return `{"rest":${rest},${names.join(',')}}`
}

let made = 0

/** Hostile documents: sent the first time, the third time (when a plan is made), and by GET. */
export async function hostileDocumentRequests(): Promise<readonly HostileRequest[]> {
  const route = await openRoute()
  return Object.entries(hostileDocuments).flatMap(([kind, text]) => {
    // None is sent twice.
    const fresh = (): string => `${text} #${(made += 1)}`
    const prepareFloor = () => () => tryToParse(text)
    return [
      { name: kind, prepareFloor, prepare: () => post(route, bytesOf(fresh())) },
      {
        name: `${kind}, for the third time`,
        prepareFloor,
        prepare: async () => {
          const sent = fresh()
          for (let use = 0; use < 2; use++) await post(route, bytesOf(sent))()
          return post(route, bytesOf(sent))
        },
      },
      {
        name: `${kind} by GET`,
        prepareFloor,
        prepare: () => get(route, `query=${encodeURIComponent(fresh())}`),
      },
    ]
  })
}

/**
 * Every operation with about `bytes` bytes in each of its variables, and in each member of those that have some; and so much in each
 * member of a request. `isParsed`: the host has parsed the body. Then the first variable of each operation has them, because the rest of
 * what is done is the same as for an unread body, at less than its cost.
 */
export async function hostileVariableRequests(
  bytes: number,
  isParsed: boolean,
): Promise<readonly HostileRequest[]> {
  const route = await openRoute()
  const operations = operationsOf()
  for (const { text } of operations) for (let use = 0; use < 3; use++) await post(route, bytesOf(text))()
  const values = Object.entries({ ...fillings, ...faults }).map(
    ([kind, fill]) => [kind, fill(bytes)] as const,
  )
  const parsed = remember((text) => JSON.parse(text) as unknown)
  const places = [
    ...operations.flatMap(({ text, places: own }) =>
      own.slice(0, isParsed ? 1 : own.length).map((place) => ({ text, place })),
    ),
    ...['query', 'variables', 'operationName', 'extensions'].map((name) => ({
      text: '{__typename}',
      place: [name],
    })),
  ]
  return places.flatMap(({ text, place }) =>
    values.map(([kind, value]) => ({
      name: `${text}: ${kind} as ${place.join('.')}`,
      prepareFloor: () => () => JSON.parse(value) as unknown,
      prepare: () =>
        post(
          route,
          isParsed
            ? { kind: 'parsed', value: { query: text, ...(within(place, parsed(value)) as object) } }
            : unread(`{"query":${JSON.stringify(text)},${textWithin(place, value)}}`),
        ),
    })),
  )
}

/** The members of a request that come by GET, with about `bytes` bytes each. */
export async function hostileQueryRequests(bytes: number): Promise<readonly HostileRequest[]> {
  const route = await openRoute()
  const values = Object.entries({ ...fillings, ...faults })
  return ['variables', 'extensions', 'operationName'].flatMap((name) =>
    values.flatMap(([kind, fill]) =>
      [encodeURIComponent, (text: string) => text].map((encode) => {
        const value = encode(fill(bytes / (encode === encodeURIComponent ? 2 : 1)))
        return {
          name: `GET: ${kind} as ${name}`,
          prepareFloor: () => () => new URLSearchParams(value),
          prepare: () => get(route, `query={__typename}&${name}=${value}`),
        }
      }),
    ),
  )
}

/** Headers with about `bytes` bytes each. */
export async function hostileHeaderRequests(bytes: number): Promise<readonly HostileRequest[]> {
  const route = await openRoute()
  return Object.entries(headerValues).flatMap(([kind, fill]) => {
    const value = fill(bytes)
    return ['accept', 'content-type', 'idempotency-key', 'x-request-id', 'cookie', 'origin'].flatMap((name) =>
      ['{__typename}', '{nothing}'].map((text) => ({
        name: `${text}: ${kind} as ${name}`,
        prepareFloor: () => () => undefined,
        prepare: () => send(route, 'POST', '', bytesOf(text), { [name]: value }),
      })),
    )
  })
}

interface Operation {
  readonly text: string
  /** Where a value may be: the names of the members that it is in. */
  readonly places: readonly (readonly string[])[]
}

/** Each field of the schema that has arguments, as a document with a variable for each of them. */
function operationsOf(): readonly Operation[] {
  const schema = taskboardSchema()
  return [
    ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ['query', field] as const),
    ...Object.values(schema.getMutationType()?.getFields() ?? {}).map(
      (field) => ['mutation', field] as const,
    ),
  ].flatMap(([kind, field]) => (field.args.length === 0 ? [] : [operationOf(kind, field)]))
}

function operationOf(kind: string, { name, args, type }: GraphQLField<unknown, unknown>): Operation {
  const declared = args.map((arg) => `$${arg.name}:${String(arg.type)}`).join(' ')
  const given = args.map((arg) => `${arg.name}:$${arg.name}`).join(' ')
  const selection = isLeafType(getNamedType(type)) ? '' : '{__typename}'
  const places = args.flatMap((arg) => {
    const input = getNamedType(arg.type)
    const members = isInputObjectType(input) ? Object.keys(input.getFields()) : []
    return [[arg.name], ...members.map((member) => [arg.name, member])]
  })
  return {
    text: `${kind}(${declared}){${name}(${given})${selection}}`,
    places: places.map((place) => ['variables', ...place]),
  }
}

function within(place: readonly string[], value: unknown): unknown {
  return place.reduceRight((inner, name) => ({ [name]: inner }), value)
}

function textWithin([name = '', ...rest]: readonly string[], value: string): string {
  return `${JSON.stringify(name)}:${rest.length === 0 ? value : `{${textWithin(rest, value)}}`}`
}

async function openRoute(): Promise<Route> {
  return taskboardGraphql(await openTaskboard(), { introspection: true })
}

function bytesOf(query: string): RequestBody {
  return unread(JSON.stringify({ query }))
}

function unread(text: string): RequestBody {
  const encoded = new TextEncoder().encode(text)
  return { kind: 'unread', read: () => encoded }
}

function post(route: Route, body: RequestBody): () => Promise<number> {
  return send(route, 'POST', '', body)
}

function get(route: Route, query: string): () => Promise<number> {
  return send(route, 'GET', query, { kind: 'none' })
}

const usualHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
}

function send(
  { handle }: Route,
  method: string,
  query: string,
  body: RequestBody,
  headers: Readonly<Record<string, string>> = {},
): () => Promise<number> {
  const all = { ...usualHeaders, ...headers }
  const request = {
    method,
    path: '/v2/graphql',
    params: {},
    query,
    header: (name: string) => all[name],
    clientAddress: '192.0.2.1',
    body,
  }
  return async () => (await handle(request)).status
}

function remember<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text) ?? make(text)
    known.set(text, value)
    return value
  }
}

function tryToParse(text: string): unknown {
  try {
    return parse(text, { maxTokens: 2_000 })
  } catch (error) {
    return error
  }
}

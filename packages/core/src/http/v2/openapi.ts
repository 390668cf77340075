import { z } from 'zod'
import {
  eventKinds,
  eventPayloadSchemas,
  realtimeEventTypes,
  type WebhookEventType,
  webhookEventTypes,
} from '../../events/index.js'
import type { RoutePaths } from '../../wiring/transport-services.js'
import { v2ErrorTable } from './envelope.js'
import { limitHeaderNames } from './admission.js'
import { boardPaths } from './board-paths.js'
import { clientGroups, clientTraits } from './client-methods.js'
import { mountedPath, type PathDescription } from './described-routes.js'
import type { Operation } from './operation.js'

type Json = Readonly<Record<string, unknown>>

/** The webhooks of an OpenAPI 3.1 document, by event type, with headers that begin with `headerPrefix`. */
function webhookPaths(
  headerPrefix: string,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Readonly<Record<string, PathDescription>> {
  return Object.fromEntries(
    webhookEventTypes.map((type) => [type, { post: describeWebhook(type, headerPrefix, toSchema) }]),
  )
}

function describeWebhook(
  type: WebhookEventType,
  prefix: string,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Json {
  const header = (name: string, required: boolean, schema: Json, description: string): Json => ({
    name: prefix + name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', ...schema },
  })
  return {
    operationId: `on ${type}`.replaceAll(/[ .](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['events'],
    summary: eventKinds[type].summary,
    description: 'Sent at least once; deduplicate by the delivery id.',
    'x-taskboard': { realtime: (realtimeEventTypes as readonly string[]).includes(type) },
    security: [],
    parameters: [
      header('Event', true, { const: type }, 'The event type.'),
      header('Delivery', true, { pattern: '^evt_' }, 'The same for every attempt.'),
      header(
        'Signature',
        false,
        { pattern: '^sha256=[0-9a-f]{64}$' },
        'HMAC-SHA256 of the body with the secret of the webhook; absent without one.',
      ),
      header(
        'Signatures',
        false,
        {},
        'While an old secret is still valid: all signatures, separated by commas.',
      ),
    ],
    // As input: receivers must accept fields that later versions add.
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toSchema(eventPayloadSchemas[type], 'input') } },
    },
    responses: {
      '2XX': { description: 'Accepted.' },
      410: { description: 'The endpoint is gone. The webhook is disabled.' },
      default: {
        description:
          'Failed, like a missing or incomplete answer within the timeout. The delivery is retried, by default at most five times.',
      },
    },
  }
}

/** The parts of an OpenAPI 3.1 document that this library fills in. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Json
  readonly servers: readonly Json[]
  readonly tags: readonly { readonly name: string }[]
  /** For those who make clients: what the groups of methods are about. Operations and webhooks have more of it. */
  readonly 'x-taskboard': { readonly client_groups: Readonly<Record<string, string>> }
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, PathDescription>>
  /** By event type, then by method in lower case. */
  readonly webhooks: Readonly<Record<string, PathDescription>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly securitySchemes: Json
  }
}

/** The version of the wire format. */
const API_VERSION = '2.1'

const REQUEST_ID = { description: 'Identifies this request, including in logs.', schema: { type: 'string' } }

const STATUSES_OF_ALL = [400, 401, 429, 500, 503] as const

const errorSchema = z.object({
  error: z.object({
    code: z.enum([...new Set(Object.values(v2ErrorTable).map(({ code }) => code))]),
    message: z.string(),
    details: z.object({
      field: z.string().meta({ description: 'The first invalid field; empty when there is none.' }),
      issue: z.string(),
    }),
    request_id: z.string(),
    timestamp: z.string().meta({ format: 'date-time' }),
  }),
})

/** The contents of the document besides the operations of API v2. */
interface DescribedApi {
  /** The configured paths, below `mountPath`. */
  readonly paths: RoutePaths
  /** Where the host mounts the routes; empty at its root. */
  readonly mountPath: string
  readonly webhookHeaderPrefix: string
  /** Routes of other packages, by their paths. */
  readonly routes: ReadonlyMap<string, PathDescription>
}

/**
 * The OpenAPI 3.1 document of the operations, the board API, the routes of other packages and the webhooks. Its schemas are the ones
 * that validate requests and describe payloads.
 */
export function openApiDocument(operations: readonly Operation[], api: DescribedApi): OpenApiDocument {
  const schemas: Record<string, Json> = {}
  const toSchema = (schema: z.ZodType, io: 'input' | 'output'): Json =>
    hoisted(jsonSchemaOf(schema, io), schemas)
  schemas['Error'] = toSchema(errorSchema, 'output')
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = mountedPath(api, operation.path)
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = describeOperation(operation, toSchema)
  }
  const all = { ...boardPaths(api.paths, toSchema), ...paths, ...Object.fromEntries(api.routes) }
  const webhooks = webhookPaths(api.webhookHeaderPrefix, toSchema)
  return {
    openapi: '3.1.1',
    info: { title: 'Task board', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: api.mountPath || '/' }],
    tags: tagsOf(all, webhooks).map((name) => ({ name })),
    'x-taskboard': { client_groups: clientGroups },
    paths: all,
    webhooks,
    components: { schemas, securitySchemes: { bearer: SECURITY } },
  }
}

const DESCRIPTION =
  'Tasks for agents and people: the Board API and API v2, with their webhooks. Times are ISO 8601 in UTC. Lists are paged with next_cursor. Resources beyond the caller’s reach return 404, as if they did not exist.'

const SECURITY: Json = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token, or an API key.',
}

/** The used tags, in order of first use. */
function tagsOf(...parts: readonly Readonly<Record<string, PathDescription>>[]): readonly string[] {
  const operations = parts.flatMap((part) => Object.values(part)).flatMap((methods) => Object.values(methods))
  return [...new Set(operations.flatMap(({ tags }) => tags as readonly string[]))]
}

function describeOperation(
  operation: Operation,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Json {
  const { id, tag, summary, description, scope, userOnly, body, example } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, requirement(scope, userOnly)].filter(Boolean).join(' '),
    'x-taskboard': clientTraits(operation),
    'x-scope': scope,
    ...(userOnly === true && { 'x-access-token-only': true }),
    security: scope === 'none' ? [] : [{ bearer: [] }],
    parameters: parameters(operation, toSchema),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse({}).success,
            content: {
              'application/json': {
                schema: toSchema(body, 'input'),
                ...(example !== undefined && { example }),
              },
            },
          },
        }),
    responses: responses(operation, toSchema),
  }
}

function requirement(scope: Operation['scope'], userOnly: boolean | undefined): string {
  const credential = userOnly === true ? 'Requires an access token' : 'Requires a credential'
  if (scope === 'none') return 'Requires no credential.'
  return scope === 'any' ? `${credential}.` : `${credential} with the scope \`${scope}\`.`
}

function parameters(
  { params, query, idempotent }: Operation,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): readonly Json[] {
  const inPath = Object.entries(params?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(schema as z.ZodType, 'input'),
  }))
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: toSchema(schema as z.ZodType, 'input'),
  }))
  const header = { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string' } }
  return [...inPath, ...inQuery, ...(idempotent === true ? [header] : [])]
}

function responses(
  { answer, method, scope, params, body }: Operation,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Json {
  const headers: Record<string, Json> = { 'X-Request-Id': REQUEST_ID }
  if (scope !== 'none') for (const name of limitHeaderNames) headers[name] = { schema: { type: 'integer' } }
  const error = (status: number): [string, Json] => [
    String(status),
    {
      description: codesOf(status),
      headers,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]
  const statuses = new Set<number>(STATUSES_OF_ALL)
  for (const status of [402, 409, 413, 415]) if (body !== undefined) statuses.add(status)
  if (scope !== 'none') for (const status of [403, 404]) statuses.add(status)
  if (scope !== 'none' && method !== 'GET') statuses.add(409)
  if (params !== undefined) statuses.add(404)
  return {
    [answer.status]: { description: 'Done.', headers, ...contentOf(answer, toSchema) },
    ...Object.fromEntries([...statuses].toSorted((a, b) => a - b).map(error)),
  }
}

function contentOf(
  answer: Operation['answer'],
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Json {
  if (answer.status === 204) return {}
  if ('mediaType' in answer) return { content: { [answer.mediaType]: { schema: { type: 'string' } } } }
  return { content: { 'application/json': { schema: toSchema(answer.schema, 'output') } } }
}

function codesOf(status: number): string {
  const codes = Object.values(v2ErrorTable).flatMap((row) => (row.status === status ? [row.code] : []))
  return `${[...new Set(codes)].join(' or ')}.`
}

const jsonSchemas = { input: new WeakMap<z.ZodType, Json>(), output: new WeakMap<z.ZodType, Json>() }

/** The conversion is most of the work for a document. Boards of one process share their schemas. */
function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const known = jsonSchemas[io].get(schema)
  if (known !== undefined) return known
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  jsonSchemas[io].set(schema, converted)
  return converted
}

/** Moves the schemas with their own id to the document's components, and updates the references to them. */
function hoisted(schema: Json, components: Record<string, Json>): Json {
  const { $schema: _, $defs, ...rest } = schema
  for (const [name, each] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
    components[name] ??= withReferences(each) as Json
  }
  const { id, ...root } = withReferences(rest) as { readonly id?: string } & Json
  if (typeof id !== 'string') return root
  components[id] ??= root
  return { $ref: `#/components/schemas/${id}` }
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      name === '$ref' && typeof member === 'string'
        ? [name, member.replace('#/$defs/', '#/components/schemas/')]
        : [name, withReferences(member)],
    ),
  )
}

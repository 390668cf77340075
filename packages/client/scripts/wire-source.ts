/** A JSON Schema, as far as the OpenAPI document uses it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface OperationDescription {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** The part of an OpenAPI document that the types of the wire are made from. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** An operation with its method in upper case and its path as documented. */
export interface DocumentedOperation extends OperationDescription {
  readonly method: string
  readonly path: string
}

export function operationsOf({ paths }: Document): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/**
 * Writes without an Idempotency-Key that a client can send again when their answer was lost, besides PATCH and DELETE. They name the
 * state that they lead to, or the server recognises the repeat: `docs/errors.md` and `docs/api-v2.md` say so.
 */
const repeatable = new Set([
  'moveTask',
  'cancelTask',
  'heartbeatTask',
  'reportTaskProgress',
  'completeTask',
  'logout',
])

/** Inputs allow what a caller may leave out, answers have what the server sends. */
type Direction = 'input' | 'output'

/** The source of `src/wire.ts`, before formatting. */
export function wireSource(document: Document): string {
  const operations = operationsOf(document)
  const inputs = inputComponents(document)
  const components = Object.entries(document.components.schemas).map(([name, schema]) =>
    declaration(componentName(name), schema, inputs.has(name) ? 'input' : 'output'),
  )
  const members = operations.map((operation) => operationMember(operation))
  const events = Object.entries(document.webhooks).map(
    ([type, { post }]) =>
      `${comment(post?.summary)}'${type}': ${typeOf(contentOf(post?.requestBody?.content), 'output')}`,
  )
  const table = operations.map((operation) => `${operation.operationId}: '${traits(operation)}',`)
  return [
    '// Made by scripts/generate-wire.ts from the OpenAPI document, and not changed by hand.',
    '/* oxlint-disable max-lines */',
    ...components,
    ...operations.flatMap(namedTypes),
    `/** The bodies of webhooks, by event type. */\nexport interface WebhookEvents {\n${events.join('\n')}\n}`,
    `/** Every operation, by its \`operationId\`. */\nexport interface Operations {\n${members.join('\n')}\n}`,
    '/** The method, the path and what the client has to know of every operation: see `operation.ts`. */',
    `export const operations = {\n${table.join('\n')}\n} as const satisfies Readonly<Record<keyof Operations, string>>`,
  ].join('\n\n')
}

/** `POST /v2/tasks body key`: a body is sent, and a repeat is recognised by its Idempotency-Key. */
function traits(operation: DocumentedOperation): string {
  const { operationId, method, path, parameters = [], requestBody, security } = operation
  const repeats = method === 'GET' || method === 'PATCH' || (method === 'DELETE' && requestBody === undefined)
  const words = [
    parameters.some((parameter) => parameter.in === 'query') && 'query',
    requestBody !== undefined && 'body',
    parameters.some(({ name }) => name === 'Idempotency-Key') && 'key',
    (repeats || repeatable.has(operationId)) && 'repeatable',
    security.length === 0 && 'public',
  ]
  return [method, path, ...words.filter((word) => word !== false)].join(' ')
}

function optional(name: string, isNeeded: boolean): string {
  return isNeeded ? name : `${name} | undefined`
}

function operationMember(operation: DocumentedOperation): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const ids = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `${name}: string`)
  const query = queryOf(operation)
  const needsQuery = query.required?.length !== 0
  const { body, query: queryName, answer } = typeNames(operation)
  return `${comment(summary, description)}${operationId}: {
    params: [${ids.join(', ')}]
    query: ${query.properties === undefined ? 'never' : optional(queryName, needsQuery)}
    body: ${requestBody === undefined ? 'never' : optional(body, requestBody.required === true)}
    answer: ${answer}
  }`
}

/** The bodies, queries and answers of an operation that are not components. */
function namedTypes(operation: DocumentedOperation): readonly string[] {
  const { operationId, requestBody } = operation
  const names = typeNames(operation)
  const body = requestBody && contentOf(requestBody.content)
  const query = queryOf(operation)
  const answer = answerOf(operation)
  return [
    ...(body?.properties === undefined ? [] : [declaration(names.body, body, 'input', operationId)]),
    ...(query.properties === undefined ? [] : [declaration(names.query, query, 'input', operationId)]),
    ...(answer?.properties === undefined ? [] : [declaration(names.answer, answer, 'output', operationId)]),
  ]
}

function typeNames(operation: DocumentedOperation): Record<'body' | 'query' | 'answer', string> {
  const { operationId, requestBody } = operation
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const answer = answerOf(operation)
  const body = requestBody && contentOf(requestBody.content)
  return {
    body: body === undefined || body.properties ? `${name}Body` : typeOf(body, 'input'),
    query: `${name}Query`,
    answer:
      answer === undefined ? 'undefined' : answer.properties ? `${name}Answer` : typeOf(answer, 'output'),
  }
}

function queryOf({ parameters = [] }: DocumentedOperation): Schema {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  if (inQuery.length === 0) return {}
  return {
    properties: Object.fromEntries(
      inQuery.map(({ name, description, schema }) => [
        name,
        { ...(description && { description }), ...schema },
      ]),
    ),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The schema of the success; undefined without a body. The document itself is JSON, too. */
function answerOf({ responses }: DocumentedOperation): Schema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [media, content] = Object.entries(success?.content ?? {})[0] ?? []
  const isText = media?.startsWith('application/json;') === true
  return isText ? { type: 'object', additionalProperties: {} } : content?.schema
}

function contentOf(content: Content | undefined): Schema {
  return Object.values(content ?? {})[0]?.schema ?? {}
}

function declaration(name: string, schema: Schema, direction: Direction, operationId?: string): string {
  const about = schema.description ?? (operationId && `Of \`${operationId}\`.`)
  return Object.keys(schema.properties ?? {}).length > 0
    ? `${comment(about)}export interface ${name} ${objectType(schema, direction)}`
    : `${comment(about)}export type ${name} = ${typeOf(schema, direction)}`
}

/** `Error` is a global class. */
function componentName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name
}

function typeOf(schema: Schema, direction: Direction): string {
  const { $ref, enum: values, anyOf, allOf, type } = schema
  if ($ref !== undefined) return componentName($ref.slice($ref.lastIndexOf('/') + 1))
  if ('const' in schema) return literal(schema.const)
  if (values !== undefined) return values.map(literal).join(' | ')
  if (anyOf !== undefined) return [...new Set(anyOf.map((each) => typeOf(each, direction)))].join(' | ')
  if (allOf !== undefined) return allOf.map((each) => typeOf(each, direction)).join(' & ')
  if (Array.isArray(type)) {
    return type.map((each: string) => typeOf({ ...schema, type: each }, direction)).join(' | ')
  }
  // The values of a query are text; a number is written the same way.
  if (type === 'string' && schema.pattern?.startsWith('^[1-9]\\d')) return 'number | string'
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {}, direction)})[]`
  if (type === 'object') return objectType(schema, direction)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function objectType(schema: Schema, direction: Direction): string {
  const { properties = {}, required = [], additionalProperties: rest } = schema
  // The server describes nothing about a member that it knows only to refuse it.
  const known = Object.entries(properties).filter(
    ([, each]) => direction === 'output' || Object.keys(each).length > 0,
  )
  const members = known.map(([name, each]) => {
    const type = typeOf(each, direction)
    const isOptional = !required.includes(name)
    const undefinable = isOptional && direction === 'input' && type !== 'unknown' ? ' | undefined' : ''
    return `${comment(each.description)}readonly ${name}${isOptional ? '?' : ''}: ${type}${undefinable}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n}`
  return `Readonly<Record<string, ${typeof rest === 'object' ? typeOf(rest, direction) : 'never'}>>`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function comment(...parts: readonly (string | undefined)[]): string {
  const text = parts.flatMap((part) => (part ? [part.replace(/([^.!?:])$/, '$1.')] : [])).join(' ')
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`
}

/** The components that requests refer to, directly or through others. */
function inputComponents(document: Document): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(document.components.schemas[name])
    }
  }
  for (const { requestBody } of operationsOf(document)) visit(requestBody)
  return found
}

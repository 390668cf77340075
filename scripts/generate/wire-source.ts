import {
  componentName,
  contentOf,
  type Document,
  type DocumentedOperation,
  operationsOf,
  type Schema,
  sentences,
  successOf,
} from './document.js'

/** Inputs and events allow what may be left out to be undefined, answers have what the server sends. */
type Direction = 'input' | 'output' | 'event'

/** The source of `src/wire.ts` of the client: the types of bodies, queries, responses and events. */
export function wireSource(document: Document): string {
  const operations = operationsOf(document)
  const inputs = inputComponents(document)
  const components = Object.entries(document.components.schemas).map(([name, schema]) =>
    declaration(componentName(name), schema, inputs.has(name) ? 'input' : 'output'),
  )
  const members = operations.map((operation) => operationMember(operation))
  const events = Object.entries(document.webhooks)
  const bodies = events.map(
    ([type, { post }]) =>
      `${comment(post.summary)}'${type}': ${typeOf(contentOf(post.requestBody?.content), 'event')}`,
  )
  const data = events
    .filter(([, { post }]) => post['x-taskboard'].realtime)
    .map(([type, { post }]) => `${comment(post.summary)}readonly '${type}': WebhookEvents['${type}']['data']`)
  return indented(
    [
      MADE,
      ...components,
      ...operations.flatMap(namedTypes),
      `/** The bodies of webhooks, by event type. */\nexport interface WebhookEvents {\n${bodies.join('\n')}\n}`,
      `/** The \`data\` of each event of the realtime channel that has one, as in the webhook of that event. Times are ISO 8601, UTC. */\nexport interface RealtimeEventData {\n${data.join('\n')}\n}`,
      `/** Every operation, by its \`operationId\`. */\nexport interface Operations {\n${members.join('\n')}\n}`,
    ].join('\n\n'),
  )
}

/** The first line of what is made. */
export const MADE = '// Made by `npm run generate` from the operations of API v2, and not in git.'

/** The lines of a source, by how many braces are open. */
export function indented(source: string): string {
  let depth = 0
  const lines = source.split('\n').map((line) => {
    const code = line.replace(/^\/\*\*.*\*\/$/, '').replaceAll(/'[^']*'/g, '')
    const closes = code.split('}').length - 1
    const isClosing = code.startsWith('}') ? 1 : 0
    depth -= isClosing
    const text = line === '' ? '' : `${'  '.repeat(depth)}${line}`
    depth += code.split('{').length - 1 - closes + isClosing
    return text
  })
  return `${lines.join('\n')}\n`
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
function answerOf(operation: DocumentedOperation): Schema | undefined {
  const [media, schema] = successOf(operation)
  return media?.startsWith('application/json;') === true
    ? { type: 'object', additionalProperties: {} }
    : schema
}

function declaration(name: string, schema: Schema, direction: Direction, operationId?: string): string {
  const about = schema.description ?? (operationId && `Of \`${operationId}\`.`)
  return Object.keys(schema.properties ?? {}).length > 0
    ? `${comment(about)}export interface ${name} ${objectType(schema, direction)}`
    : `${comment(about)}export type ${name} = ${typeOf(schema, direction)}`
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
  if (type === 'array') {
    const item = typeOf(schema.items ?? {}, direction)
    return `readonly ${/^\w+$/.test(item) ? item : `(${item})`}[]`
  }
  if (type === 'object') return objectType(schema, direction)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function objectType(schema: Schema, direction: Direction): string {
  const { properties = {}, required = [], additionalProperties: rest } = schema
  // The server describes nothing about a member that it knows only to refuse it.
  const known = Object.entries(properties).filter(
    ([, each]) => direction !== 'input' || Object.keys(each).length > 0,
  )
  const members = known.map(([name, each]) => {
    const type = typeOf(each, direction)
    const isOptional = !required.includes(name)
    const undefinable = isOptional && direction !== 'output' && type !== 'unknown' ? ' | undefined' : ''
    return `${comment(each.description)}readonly ${name}${isOptional ? '?' : ''}: ${type}${undefinable}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n}`
  return `Readonly<Record<string, ${typeof rest === 'object' ? typeOf(rest, direction) : 'never'}>>`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

export function comment(...parts: readonly (string | undefined)[]): string {
  const text = sentences(...parts)
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

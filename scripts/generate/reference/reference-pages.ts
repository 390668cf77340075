import { type Document, type DocumentedOperation, operationsOf, sentences } from '../document.js'
import { openExampleBoard } from './example-board.js'
import { type Exchange, exchangeRecorder } from './exchanges.js'
import { fieldsOf, fieldTable } from './schema-text.js'
import { story } from './story.js'

/** The pages of the reference, by the tags of their operations: title and first sentence. */
const pages: Readonly<Record<string, readonly [title: string, about: string]>> = {
  board: [
    'Board API (v1)',
    'Add, list and move tasks from a script, send a chat message, and register a webhook',
  ],
  auth: ['Login', 'Log in, refresh and end sessions, accept invitations, and prove a login again'],
  account: [
    'Accounts',
    'Manage users, sessions, the second factor, API keys and workspaces, and read the audit',
  ],
  tasks: ['Tasks', 'Create, find, edit and move tasks, and work on them as an agent'],
  approvals: ['Approvals', 'Ask people before an action, and decide'],
  schedules: ['Schedules', 'Add the same task again and again'],
  agents: ['Agents, chat and budgets', 'Manage agents, talk to them, and limit their budgets'],
  analytics: ['Analytics', 'Read throughput, success rates and the usage of language models'],
  webhooks: ['Webhooks', 'Register endpoints for events, and look at their deliveries'],
  notifications: ['Notification channels', 'Notify people by chat or mail'],
  messengers: ['Messengers', 'Link accounts of messengers, and see the connected conversations'],
  reference: ['Descriptions', 'Get the OpenAPI document and the reference page from your server'],
}

export const FOLDER = 'docs/reference'
const MADE = '<!-- This page is made by `npm run generate:docs`. -->'
const LONGEST_RESPONSE = 60

/** Every page of the reference by its path, with a request and its response for each operation. */
export async function referencePages(document: Document): Promise<Readonly<Record<string, string>>> {
  const exchanges = await exchangesOf(document)
  const tags = Object.keys(pages)
  const texts = tags.map((tag) => [`${FOLDER}/${tag}.md`, pageText(tag, exchanges, document)] as const)
  return { [`${FOLDER}/README.md`]: indexText(tags, exchanges), ...Object.fromEntries(texts) }
}

/** Runs every example. @throws Error when an operation has none. */
async function exchangesOf(document: Document): Promise<readonly Exchange[]> {
  const operations = new Map<string, { readonly operation: DocumentedOperation; readonly action?: string }>()
  for (const operation of operationsOf(document)) {
    const traits = operation['x-taskboard']
    if (traits !== undefined && 'actions' in traits)
      for (const action of Object.keys(traits.actions))
        operations.set(`board.${action}`, { operation, action })
    else operations.set(operation.operationId, { operation })
  }
  const board = await openExampleBoard()
  try {
    const recorder = exchangeRecorder(board, operations)
    for (const step of story) await step(recorder, board)
    const told = new Map(recorder.exchanges.map((exchange) => [idOf(exchange), exchange]))
    return [...operations.keys()].map((id) => {
      const exchange = told.get(id)
      if (exchange === undefined) throw new Error(`no example of the reference sends ${id}`)
      for (const tag of exchange.operation.tags)
        if (pages[tag] === undefined) throw new Error(`the reference has no page for the tag ${tag}`)
      return exchange
    })
  } finally {
    await board.close()
  }
}

const idOf = ({ operation, action }: Exchange): string =>
  action === undefined ? operation.operationId : `board.${action}`

const tagOf = ({ operation }: Exchange): string => operation.tags[0] ?? ''

function headingOf({ operation, action }: Exchange): string {
  const { method, path } = operation
  return action === undefined ? `${method} ${path}` : `${method} ${path}?action=${action}`
}

/** The anchor that GitHub and the site give to a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

function indexText(tags: readonly string[], exchanges: readonly Exchange[]): string {
  const rows = tags.flatMap((tag) =>
    exchanges
      .filter((exchange) => tagOf(exchange) === tag)
      .map((exchange) => {
        const heading = headingOf(exchange)
        return `| [\`${heading}\`](${tag}.md#${anchorOf(heading)}) | ${summaryOf(exchange)} | ${scopeText(exchange)} |`
      }),
  )
  return `${MADE}

# HTTP reference

Look up each request of both APIs with the response that it gets. [API v2](../api-v2.md) and the [Board API](../board-api.md) explain them, and
[Errors](../errors.md) lists what else can come back.

The examples ran in this order on a board with a fixed clock. Keys, tokens and other secrets are shortened: \`tb_…\`. Each response has an \`X-Request-Id\`.
Optional fields accept \`null\`, which is the same as leaving them out, except in a \`PATCH\`, where it removes the value.

| Request | Purpose | Scope |
| --- | --- | --- |
${rows.join('\n')}
`
}

function pageText(tag: string, exchanges: readonly Exchange[], document: Document): string {
  const [title, about] = pages[tag] ?? [tag, tag]
  const own = exchanges.filter((exchange) => tagOf(exchange) === tag)
  const sections = own.map((exchange) => sectionText(exchange, document))
  return `${MADE}

# ${title}

${about}. [HTTP reference](README.md) lists all requests, and says how these examples ran.

${sections.join('\n\n')}
`
}

const actionOf = ({ operation, action }: Exchange) => {
  const traits = operation['x-taskboard']
  return traits !== undefined && 'actions' in traits && action !== undefined
    ? traits.actions[action]
    : undefined
}

const summaryOf = (exchange: Exchange): string => actionOf(exchange)?.summary ?? exchange.operation.summary

function scopeText(exchange: Exchange): string {
  const scope = actionOf(exchange)?.scope ?? exchange.operation['x-scope'] ?? 'webhooks:write'
  const userOnly = exchange.operation['x-access-token-only'] === true ? ', users only' : ''
  return scope.includes(':') ? `[\`${scope}\`](../scopes.md)${userOnly}` : `${scope}${userOnly}`
}

function sectionText(exchange: Exchange, document: Document): string {
  const { operation, action } = exchange
  const traits = operation['x-taskboard']
  const client =
    actionOf(exchange)?.client ?? (traits !== undefined && 'client' in traits ? traits.client : '')
  const description = action === undefined ? operation.description?.replace(/ ?Requires [^.]*\.$/, '') : ''
  const query = (operation.parameters ?? []).filter(
    ({ in: place, name }) => place === 'query' && name !== 'action',
  )
  const parameters = query.map(({ name, required, description: own, schema }) => ({
    name,
    required,
    schema,
    description: own ?? schema.description,
  }))
  const body = bodySchema(exchange, document)
  const fields = body === undefined ? [] : fieldsOf(body, document)
  return [
    `## ${headingOf(exchange)}`,
    sentences(summaryOf(exchange), description),
    `Scope: ${scopeText(exchange)}. In the [client](../../packages/client/README.md): \`${client}\`.`,
    ...(parameters.length > 0 ? ['Query parameters:', fieldTable(parameters, document)] : []),
    ...(fields.length > 0 ? ['Fields of the body:', fieldTable(fields, document)] : []),
    `<div class="exchange">\n\n${requestText(exchange)}\n\n${responseText(exchange)}\n\n</div>`,
  ].join('\n\n')
}

function bodySchema(exchange: Exchange, document: Document) {
  const component = actionOf(exchange)?.body
  if (component !== undefined) return document.components.schemas[component]
  return exchange.action === undefined
    ? Object.values(exchange.operation.requestBody?.content ?? {})[0]?.schema
    : undefined
}

function requestText({ operation, path, credential, body }: Exchange): string {
  const authorization = { 'API key': 'Bearer tb_…', 'access token': 'Bearer eyJ…', none: undefined }[
    credential
  ]
  const key = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
  const head = [
    `${operation.method} ${path}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...(key ? ['Idempotency-Key: 7f2c'] : []),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', JSON.stringify(body, null, 2)]),
  ]
  return `\`\`\`http\n${head.join('\n')}\n\`\`\``
}

function responseText({ operation, status, response }: Exchange): string {
  const lines = response.split('\n')
  if (response === '')
    return status === 204 ? '```http\n204 No Content\n```' : '```http\n200 OK\nContent-Type: text/html\n```'
  if (operation.operationId === 'getOpenApi')
    return '```http\n200 OK\nContent-Type: application/json\n\n{ "openapi": "3.1.1", … }\n```'
  const shown = lines.length > LONGEST_RESPONSE ? [...lines.slice(0, LONGEST_RESPONSE), '  …'] : lines
  return `\`\`\`json\n${shown.join('\n')}\n\`\`\``
}

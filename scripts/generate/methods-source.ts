import { clientMethods, type ClientMethod, groupOf, lastOf } from './client-methods.js'
import type { Document } from './document.js'
import { comment, indented, MADE } from './wire-source.js'

interface Tables {
  readonly [name: string]: string | Tables
}

/** The source of `src/methods.ts` of the client: the types of its methods, and what each of them sends. */
export function methodsSource(document: Document): string {
  const methods = clientMethods(document)
  const groups = Object.entries(document['x-taskboard'].client_groups)
  const inside = (group: string): readonly (readonly [string, string])[] =>
    groups.filter(([name]) => groupOf(name) === group)
  const membersOf = (group: string): readonly string[] => [
    ...methods.filter(({ name }) => groupOf(name) === group).map(member),
    ...inside(group).map(
      ([name, about]) => `${comment(about)}${lastOf(name)}: {\n${membersOf(name).join('\n')}\n}`,
    ),
  ]
  const all = membersOf('').map((text) => text.replace(/^(\w+: )/m, 'readonly $1'))
  const tableOf = (group: string): Tables =>
    Object.fromEntries([
      ...methods
        .filter(({ name }) => groupOf(name) === group)
        .map(({ name, request, pagesOf }) => [lastOf(name), pagesOf ?? request]),
      ...inside(group).map(([name]) => [lastOf(name), tableOf(name)]),
    ]) as Tables
  const wire = [...new Set(methods.flatMap(typesOf))].toSorted()
  return indented(
    [
      `${MADE}
import type { CallOptions } from './client-options.js'
import type { AllMethod, Method, Requests } from './operation.js'
import type { ${wire.join(', ')} } from './wire.js'`,
      `/** The methods of a client that are operations. */\nexport interface Methods {\n${all.join('\n')}\n}`,
      `/** What each method sends, as \`operation.ts\` reads it. One that reads all pages has the name of the one that reads one. */\nexport const methods = ${literal(tableOf(''))} as const satisfies Requests`,
    ].join('\n\n'),
  )
}

function member({ name, operation, about, pagesOf, action }: ClientMethod): string {
  const { operationId } = operation
  const last = lastOf(name)
  if (action === undefined) {
    return `${comment(about)}${last}: ${pagesOf === undefined ? 'Method' : 'AllMethod'}<'${operationId}'>`
  }
  const { body, answer } = action
  if (body !== undefined)
    return `${comment(about)}${last}(body: ${body}, options?: CallOptions): Promise<${answer}>`
  const [query, answered] = namesOf(operationId)
  return `${comment(about)}readonly ${last}: (query?: Omit<${query}, 'action'>, options?: CallOptions) => Promise<${answered}>`
}

function namesOf(operationId: string): readonly [string, string] {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  return [`${name}Query`, `${name}Answer`]
}

/** The types that a method of the board API names itself. */
function typesOf({ operation, action }: ClientMethod): readonly string[] {
  if (action === undefined) return []
  const { body, answer } = action
  return body === undefined || answer === undefined ? namesOf(operation.operationId) : [body, answer]
}

function literal(tables: Tables): string {
  const rows = Object.entries(tables).map(
    ([name, each]) => `${name}: ${typeof each === 'string' ? `'${each}'` : literal(each)},`,
  )
  return `{\n${rows.join('\n')}\n}`
}

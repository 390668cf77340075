import {
  type BoardAction,
  type Document,
  type DocumentedOperation,
  operationsOf,
  sentences,
  successOf,
} from './document.js'

/** A method of a client. */
export interface ClientMethod {
  /** With its groups: `tasks.approvals.request`. */
  readonly name: string
  readonly operation: DocumentedOperation
  /** What it does, for people. */
  readonly about: string
  /**
   * `POST /v2/tasks body key`: what it sends, and what a client has to know of it. `query` and `body` say what a caller passes. `key`:
   * the server knows a repeat by its Idempotency-Key. `repeatable`: a second one changes nothing. `public`: it is sent without the
   * credential. `text`: the response is no JSON.
   */
  readonly request: string
  /** The last name of the method whose pages it reads one after the other; undefined for a method that sends one request. */
  readonly pagesOf: string | undefined
  /** Of the board API: the action that it sends. */
  readonly action: BoardAction | undefined
}

/** Every method of the clients that is an operation, in the order of the groups. */
export function clientMethods(document: Document): readonly ClientMethod[] {
  const methods = operationsOf(document).flatMap(methodsOf)
  const groups = ['', ...Object.keys(document['x-taskboard'].client_groups)]
  const names = new Set(methods.map(({ name }) => name))
  if (names.size < methods.length) throw new Error('two operations have the same method of the client')
  const lost = methods.filter(({ name }) => !groups.includes(groupOf(name)))
  if (lost.length > 0)
    throw new Error(`no group of the client has ${lost.map(({ name }) => name).join(', ')}`)
  return groups.flatMap((group) => methods.filter(({ name }) => groupOf(name) === group))
}

/** `tasks.approvals` of `tasks.approvals.request`; empty for a method of the client itself. */
export function groupOf(name: string): string {
  return name.split('.').slice(0, -1).join('.')
}

export function lastOf(name: string): string {
  return name.split('.').at(-1) ?? ''
}

function methodsOf(operation: DocumentedOperation): readonly ClientMethod[] {
  const traits = operation['x-taskboard']
  if (traits === undefined) throw new Error(`${operation.operationId} names no method of a client`)
  const { method, path, summary, description, parameters = [], requestBody, security } = operation
  const [media] = successOf(operation)
  const isSent = (place: string): boolean => parameters.some((parameter) => parameter.in === place)
  const requestOf = (address: string, has: { query: boolean; key: boolean; repeatable: boolean }): string => {
    const words = [
      has.query && 'query',
      requestBody !== undefined && 'body',
      has.key && 'key',
      has.repeatable && 'repeatable',
      security.length === 0 && 'public',
      media?.startsWith('text/') && 'text',
    ]
    return [method, address, ...words.filter((word) => typeof word === 'string')].join(' ')
  }
  if ('actions' in traits) {
    return Object.entries(traits.actions).map(([name, action]) => {
      const { client, idempotent: key = false, repeatable, scope } = action
      const request = requestOf(`${path}?action=${name}`, {
        query: requestBody === undefined,
        key,
        repeatable,
      })
      const about = sentences(action.summary, `Requires a key with the scope \`${scope}\``, riskOf(request))
      return { name: client, operation, about, request, pagesOf: undefined, action }
    })
  }
  const { client, all, repeatable } = traits
  const key = parameters.some(({ name }) => name === 'Idempotency-Key')
  const request = requestOf(path, { query: isSent('query'), key, repeatable })
  const risk = riskOf(request)
  const shared = { operation, request, action: undefined }
  if (all === undefined) {
    return [{ ...shared, name: client, about: sentences(summary, description, risk), pagesOf: undefined }]
  }
  const page = sentences(summary, 'One page', description, risk)
  const pages = sentences(summary, 'All pages, as the loop asks for them', description, risk)
  return [
    { ...shared, name: client, about: page, pagesOf: undefined },
    { ...shared, name: all, about: pages, pagesOf: lastOf(client) },
  ]
}

function riskOf(request: string): string | undefined {
  return / (?:key|repeatable)\b/.test(request) ? undefined : 'Not repeated after a lost response'
}

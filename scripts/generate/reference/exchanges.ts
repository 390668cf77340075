import { isDeepStrictEqual } from 'node:util'
import type { DocumentedOperation } from '../document.js'
import type { ExampleBoard, ExampleRequest } from './example-board.js'

/** What an operation was sent in its example, and what it returned, with secrets shortened. */
export interface Exchange {
  readonly operation: DocumentedOperation
  /** Of the Board API: the action. */
  readonly action: string | undefined
  readonly path: string
  readonly credential: 'API key' | 'access token' | 'none'
  readonly body: object | undefined
  readonly status: number
  /** The response's body, formatted; empty for none. */
  readonly response: string
}

/** How the example of an operation is sent. */
export interface Sent {
  readonly as: 'key' | 'user' | 'none'
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Members that take the place of those of the declared example: ids and secrets of this board. */
  readonly real?: Readonly<Record<string, unknown>>
}

type Answer = Readonly<Record<string, unknown>>

/** Members of responses that hold a secret. */
const SECRETS = new Set(['key', 'access_token', 'refresh_token', 'secret', 'token', 'recovery_codes', 'code'])
const SHOWN = 6
const INDENT = 2

/** Runs the declared examples of operations on a board, and keeps what came back. */
export interface ExchangeRecorder {
  readonly exchanges: readonly Exchange[]
  /** The credential of the user from now on. */
  readonly setUser: (token: string) => void
  /**
   * Sends the example of an operation, or of an action of the Board API (`board.add`). Returns the body of the response as JSON.
   * @throws Error when the response isn't a success, or not one that the OpenAPI document describes.
   */
  readonly run: (id: string, sent: Sent) => Promise<Answer>
  /** Sends something that prepares an example and isn't part of the reference. */
  readonly prepare: (request: ExampleRequest) => Promise<Answer>
}

export function exchangeRecorder(
  board: ExampleBoard,
  operations: ReadonlyMap<string, { readonly operation: DocumentedOperation; readonly action?: string }>,
): ExchangeRecorder {
  const exchanges: Exchange[] = []
  const secrets = new Map<string, string>()
  let user = ''

  function keepSecrets(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (SECRETS.has(name)) for (const text of [member].flat()) if (typeof text === 'string') hide(text)
      const [, token] = typeof member === 'string' ? (/#.*=([\w-]{16,})$/.exec(member) ?? []) : []
      if (token !== undefined) hide(token)
      keepSecrets(member)
    }
  }
  const hide = (text: string): void => void secrets.set(text, `${text.slice(0, SHOWN)}…`)
  const withoutSecrets = (text: string): string =>
    [...secrets].reduce((shown, [secret, short]) => shown.replaceAll(secret, short), text)

  async function send(request: ExampleRequest): Promise<{ status: number; text: string; json: Answer }> {
    const { status, text } = await board.send(request)
    const [path = ''] = request.path.split('?')
    board.check.assertPromised(request.method, path, {
      status,
      text,
      headers: { 'x-request-id': '' },
      json: () => JSON.parse(text) as Record<string, unknown>,
    })
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`)
    const json = text.startsWith('{') ? (JSON.parse(text) as Answer) : {}
    keepSecrets(json)
    return { status, text, json }
  }

  return {
    exchanges,
    setUser(token) {
      user = token
    },
    prepare: async (request) => (await send(request)).json,
    async run(id, { as, params = {}, query = {}, real = {} }) {
      const { operation, action } = operations.get(id) ?? {}
      if (operation === undefined) throw new Error(`no operation is named ${id}`)
      const { method, requestBody } = operation
      const example = exampleOf(operation, action)
      const body = requestBody === undefined ? undefined : { ...example, ...real }
      const text = new URLSearchParams({ ...(action !== undefined && { action }), ...query }).toString()
      const at = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `{${name}}`)
      const path = text === '' ? at : `${at}?${text}`
      const credential = { key: board.key, user, none: undefined }[as]
      const sent = await send({ method, path, credential, body })
      exchanges.push({
        operation,
        action,
        path,
        credential: ({ key: 'API key', user: 'access token', none: 'none' } as const)[as],
        body: body === undefined || isDeepStrictEqual(body, {}) ? undefined : shownBody(body),
        status: sent.status,
        response: sent.text.startsWith('{')
          ? withoutSecrets(JSON.stringify(JSON.parse(sent.text), null, INDENT))
          : '',
      })
      return sent.json
    },
  }

  function shownBody(body: object): object {
    return JSON.parse(withoutSecrets(JSON.stringify(body))) as object
  }
}

function exampleOf({ requestBody, ...operation }: DocumentedOperation, action: string | undefined): object {
  const traits = operation['x-taskboard']
  if (action !== undefined && traits !== undefined && 'actions' in traits)
    return traits.actions[action]?.example ?? {}
  return Object.values(requestBody?.content ?? {})[0]?.example ?? {}
}

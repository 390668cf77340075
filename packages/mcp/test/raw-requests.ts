import type { McpHost } from '@taskboard/kit/mcp/mcp-host'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The text of a request of the version 2026-07-28. */
export function requestText(method: string, params: object = {}, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } })
}

interface Sent {
  readonly key?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends a body as it is, as JSON unless the headers say otherwise. */
export function send(
  { url, workerKey }: Pick<McpHost, 'url' | 'workerKey'>,
  body: string | undefined,
  { key = workerKey, path = '/mcp?tools=worker,planner', method = 'POST', headers, signal }: Sent = {},
): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  })
}

/** Opens a subscription, without a client that reads it. */
export function listenTo(
  host: Pick<McpHost, 'url' | 'workerKey'>,
  uris: readonly string[],
  { id = 1, ...sent }: Sent & { readonly id?: unknown } = {},
): Promise<Response> {
  const body = requestText('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, id)
  const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  return send(host, body, { ...sent, headers: { ...own, ...sent.headers } })
}

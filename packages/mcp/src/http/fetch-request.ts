import type { HttpRequest } from '@taskboard/core/transport'

/** The headers that the protocol has. The credential is not among them: the server has no need of it. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id']

/** The request for the protocol's own handler, without its body. */
export function toFetchRequest(request: HttpRequest, signal: AbortSignal | undefined): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { method } = request
  const url = `http://taskboard.invalid${request.path}`
  return new Request(url, { method, headers, ...(signal !== undefined && { signal }) })
}

import { isTaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { givenRequestId } from '../caller.js'
import type { HttpRequest, HttpResponse, Route } from '../http.js'
import { tracedRoute } from '../traced-route.js'
import { mountedPath } from './described-routes.js'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const page = (status: number, content: string): HttpResponse => ({
  status,
  headers: HEADERS,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notifications of a task board</title><body>${content}</body></html>`,
})

const over = (): HttpResponse =>
  page(410, '<p>This link is not valid any more. Anyone who set up the notifications can send a new one.</p>')

const tooMany = (): HttpResponse => page(429, '<p>This was asked too often. Try again in a minute.</p>')

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/**
 * The page on which a recipient of notifications confirms. It asks first: programs that look at mail open its links, and must not confirm for
 * people.
 */
export function confirmationRoute(services: TransportServices): Route {
  const { confirmations, environment } = services
  async function answer(request: HttpRequest): Promise<HttpResponse> {
    const { method, clientAddress } = request
    const token = new URLSearchParams(request.query).get('token') ?? ''
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && method !== 'POST')
      return { status: 405, headers: { ...HEADERS, allow: 'GET, HEAD, POST' }, body: '' }
    const asked = confirmations.show(token)
    if (asked === null) return over()
    if (isRead) {
      const question = `<p>Someone of the account <b>${escaped(asked.account)}</b> on this task board wants to send notifications to <b>${escaped(asked.recipient)}</b>.</p>`
      return page(200, `${question}<form method="post"><button>Send them to me</button></form>`)
    }
    const requestId = givenRequestId(request)
    const by = { kind: 'system', name: 'recipient', clientAddress, requestId } as const
    const recipient = await confirmations.confirm(token, by)
    return recipient === null ? over() : page(200, `<p>${escaped(recipient)} gets the notifications now.</p>`)
  }
  return tracedRoute(services, {
    path: mountedPath(services, '/v2/confirm-notifications'),
    handle: (request) =>
      answer(request).catch((error: unknown) => {
        if (isTaskboardError(error, 'RATE_LIMITED')) return tooMany()
        environment.logger.error({ err: error }, 'a recipient could not confirm')
        return page(503, '<p>This did not work. Try again.</p>')
      }),
  })
}

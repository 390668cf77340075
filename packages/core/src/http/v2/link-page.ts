import { isTaskboardError } from '../../errors/index.js'
import type { Choice, LinkView } from '../../links/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { givenRequestId } from '../caller.js'
import { readForm } from '../form-body.js'
import type { HttpRequest, HttpResponse, Route } from '../http.js'
import { tracedRoute } from '../traced-route.js'
import { mountedPath } from './described-routes.js'
import { createLinkLogin } from './link-login.js'
import { linkHeaders, linkResponses, type LinkResponses } from './link-response.js'

/** A comment or an answer of 20,000 characters of four bytes, each written in three. */
const FORM_BYTES = 262_144
const UNDECIDED = 'No decision was made'
const GONE = 'This link is not valid, or its request is gone. No decision was made.'

/** Pages of links that decide. Only a form that such a page has sent decides; whatever else opens a link reads it. */
export function linkRoute(services: TransportServices): Route {
  const { links, publicUrl } = services
  const responses = linkResponses(services)
  const login = createLinkLogin(services, responses)
  const { origin } = new URL(publicUrl ?? 'unknown:')
  const path = mountedPath(services, '/v2/decide/:token')

  /** A form of this very page, by what browsers say of it. Over plain HTTP they say only the origin. */
  function isOwnForm(request: HttpRequest): boolean {
    const site = request.header('sec-fetch-site')
    return site === undefined ? request.header('origin') === origin : site === 'same-origin'
  }

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    const { method, clientAddress } = request
    const token = request.params['token'] ?? ''
    const from = { clientAddress, requestId: givenRequestId(request) }
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && method !== 'POST')
      return { status: 405, headers: { ...linkHeaders, allow: 'GET, HEAD, POST' }, body: '' }
    if (!isRead && !isOwnForm(request)) {
      const text = 'Only the page of this link decides. Open the link, and decide there.'
      return responses.say(403, UNDECIDED, text)
    }
    const view = await links.open(token, from)
    if (view === null) return responses.say(404, 'Unknown link', GONE)
    const form = isRead ? null : await readForm(request, FORM_BYTES)
    if (form !== null && login.isLogin(form)) return login.logIn(request, view, form)
    const asking = await login.ask(request, view)
    if (asking !== null) return asking
    if (form === null || view.state !== 'open') return responses.show(view)
    const choice = choiceOf(form, view)
    const decided =
      choice === null ? { ...view, notice: 'Approve or reject it.' } : await links.decide(token, choice, from)
    return decided === null ? responses.say(404, 'Unknown link', GONE) : responses.show(decided)
  }

  return tracedRoute(services, {
    path,
    handle: (request) =>
      answer(request).catch((error: unknown) => refuse(services, { path, request, error, responses })),
  })
}

/** What a form decides; null for one that does not say it. */
function choiceOf(form: ReadonlyMap<string, string>, { kind }: LinkView): Choice | null {
  if (kind === 'question') return { answer: form.get('answer') ?? '' }
  const decision = form.get('decision')
  const said = form.get('comment') ?? ''
  if (decision !== 'approved' && decision !== 'rejected') return null
  return { decision, comment: said.trim() === '' ? null : said }
}

interface Failed {
  readonly path: string
  readonly request: HttpRequest
  readonly error: unknown
  readonly responses: LinkResponses
}

/** The log has the template of the path: the path itself has what decides. */
function refuse(
  { environment: { logger } }: TransportServices,
  { path, request, error, responses }: Failed,
): HttpResponse {
  if (isTaskboardError(error, 'RATE_LIMITED')) {
    const retryAfter = String(Math.max(1, Math.ceil((error.retryAfterMs ?? 0) / 1_000)))
    const text = 'No decision was made. Try again in a minute.'
    return responses.say(429, 'Too many tries', text, { 'retry-after': retryAfter })
  }
  if (isTaskboardError(error, 'PAYLOAD_TOO_LARGE'))
    return responses.say(413, 'Too long', 'No decision was made: your text is too long.')
  if (isTaskboardError(error, 'UNSUPPORTED_MEDIA_TYPE'))
    return responses.say(415, UNDECIDED, 'Only the page of this link decides.')
  if (isTaskboardError(error, 'FORBIDDEN'))
    return responses.say(403, UNDECIDED, 'Only the page of this link decides.')
  const line = { err: error, method: request.method, path, requestId: givenRequestId(request) }
  const isDown = isTaskboardError(error, 'SERVICE_UNAVAILABLE')
  if (isDown) logger.warn(line, 'a link could not be served')
  else logger.error(line, 'a link failed')
  return responses.say(isDown ? 503 : 500, 'This did not work', 'No decision was made. Try again.')
}

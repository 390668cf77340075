import type { LinkView } from '../../links/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import type { HttpResponse } from '../http.js'
import { contentOf, linkPage, type PageContent } from './link-html.js'

export const linkHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // Not `no-referrer`, for which browsers send no `Origin` with the form.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
}
const NONCE_BYTES = 16

const statusOf: Readonly<Record<LinkView['state'], number>> = {
  open: 200,
  decided: 200,
  refused: 403,
  changed: 409,
  expired: 410,
  withdrawn: 410,
}

/** Responds with pages. */
export interface LinkResponses {
  page(status: number, content: PageContent, more?: Readonly<Record<string, string>>): HttpResponse
  /** A page with one message, which users didn't write. */
  say(status: number, title: string, text: string, more?: Readonly<Record<string, string>>): HttpResponse
  /** What a link shows. */
  show(view: LinkView): HttpResponse
}

export function linkResponses({
  links: { settings },
  environment: { random },
}: Pick<TransportServices, 'links' | 'environment'>): LinkResponses {
  const page: LinkResponses['page'] = (status, { title, content }, more = {}) => {
    const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64url')
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
    const headers = { ...linkHeaders, 'content-security-policy': policy, ...more }
    return { status, headers, body: linkPage(settings, nonce, title, content) }
  }
  return {
    page,
    say: (status, title, text, more) => page(status, { title, content: `<p>${text}</p>` }, more),
    show: (view) => page(statusOf[view.state], contentOf(view)),
  }
}

import { isTaskboardError } from '../../errors/index.js'
import { passLifetimeMs, type LinkView } from '../../links/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import type { HttpRequest, HttpResponse } from '../http.js'
import { loginOriginOf } from './admission.js'
import { mountedPath } from './described-routes.js'
import { loginContent } from './link-html.js'
import { linkHeaders, type LinkResponses } from './link-response.js'

/** The login that `links.requireLogin` asks for. */
export interface LinkLogin {
  /** Null when the person has logged in as far as the host wants that; else what asks for it. */
  ask(request: HttpRequest, view: LinkView): Promise<HttpResponse | null>
  /** Whether a form comes from the login on the page itself. */
  isLogin(form: ReadonlyMap<string, string>): boolean
  /** Checks the form of the login, and remembers in the browser for ten minutes that it was right. */
  logIn(request: HttpRequest, view: LinkView, form: ReadonlyMap<string, string>): Promise<HttpResponse>
}

const COOKIE = 'taskboard-link'

export function createLinkLogin(services: TransportServices, responses: LinkResponses): LinkLogin {
  const { links, login, publicUrl } = services
  const { settings, passes } = links
  const { pathname, protocol } = new URL(publicUrl ?? 'unknown:')
  const path = pathname.replace(/\/$/, '') + mountedPath(services, '/v2/decide')
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`
  const hasLogin = login !== null

  return {
    async ask(request, view) {
      if (!settings.requireLogin) return null
      if (hasLogin) {
        const isKnown = cookiesOf(request).some((pass) => passes.isValid(pass, view))
        return isKnown ? null : responses.page(401, loginContent(settings, true, null))
      }
      const caller = await services.authenticate(request)
      const isPerson = caller?.kind === 'user' && caller.id === view.userId
      return isPerson ? null : responses.page(401, loginContent(settings, false, null))
    },
    isLogin: (form) => settings.requireLogin && hasLogin && form.has('password'),
    async logIn(request, view, form) {
      const given = form.get('code') ?? ''
      const input = { password: form.get('password') ?? '', mfaCode: given === '' ? null : given }
      try {
        await login?.sessions.confirm(view.userId, input, loginOriginOf(request))
      } catch (error) {
        if (!isTaskboardError(error, 'INVALID_FIELD')) throw error
        const isCode = error.field === 'mfaCode'
        const notice = isCode ? 'The code is missing or wrong.' : 'The password is wrong.'
        return responses.page(401, loginContent(settings, true, notice))
      }
      const cookie = `${COOKIE}=${passes.issue(view)}; ${attributes}; Max-Age=${passLifetimeMs / 1_000}`
      // The address that the browser has already: no answer writes what decides.
      return { status: 303, headers: { ...linkHeaders, 'set-cookie': cookie, location: '?' }, body: '' }
    },
  }
}

/** The values of the cookie of a login. */
function cookiesOf(request: HttpRequest): readonly string[] {
  const pairs = (request.header('cookie') ?? '').split(/;\s*/)
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1))
}

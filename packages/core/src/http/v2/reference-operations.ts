import type { TransportServices } from '../../wiring/transport-services.js'
import type { HttpRequest } from '../http.js'
import { describedRoutes, mountedPath } from './described-routes.js'
import { openApiDocument } from './openapi.js'
import { publicOperation, type Operation } from './operation.js'
import { REFERENCE_POLICY, referencePage } from './reference-page.js'

const DOCUMENT_PATH = '/v2/openapi.json'
const PAGE_PATH = '/v2/reference'
/** The placeholder for the mount path in cached texts. */
const MOUNT_PATH = '{{mount path}}'
const PLAIN_PATH = /^(\/[\w.~-]+)+$/

interface Texts {
  readonly routeCount: number
  readonly json: string
  readonly page: string
}

/**
 * The operations that describe the others: the OpenAPI document, and a page of it for people. Both have paths as their caller sees
 * them: below the host's mount path, and below a prefix that a proxy removed and sends in `X-Forwarded-Prefix`.
 */
export function referenceOperations(described: readonly Operation[]): readonly Operation[] {
  // Made on first use, because most processes never need it, and again when other packages have added routes since.
  let texts: Texts | undefined
  function textsOf(services: TransportServices): Texts {
    const routes = describedRoutes(services)
    if (texts?.routeCount === routes.size) return texts
    const { paths, webhookHeaderPrefix } = services
    const api = { paths, webhookHeaderPrefix, routes, mountPath: MOUNT_PATH }
    const document = openApiDocument([...described, ...operations], api)
    const json = JSON.stringify(document)
    texts = { routeCount: routes.size, json, page: referencePage(document, MOUNT_PATH) }
    return texts
  }
  const operations: readonly Operation[] = [
    publicOperation({
      id: 'getOpenApi',
      tag: 'reference',
      summary: 'This API as an OpenAPI 3.1 document',
      method: 'GET',
      path: DOCUMENT_PATH,
      client: 'openapi',
      answer: { status: 200, mediaType: 'application/json; charset=utf-8' },
      run({ services, request }) {
        const mountPath = mountPathOf(request, mountedPath(services, DOCUMENT_PATH))
        return textsOf(services).json.replaceAll(MOUNT_PATH, mountPath || '/')
      },
    }),
    publicOperation({
      id: 'getReference',
      tag: 'reference',
      summary: 'This API as a reference page, in HTML',
      method: 'GET',
      path: PAGE_PATH,
      client: 'reference',
      answer: {
        status: 200,
        mediaType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': REFERENCE_POLICY },
      },
      run({ services, request }) {
        const mountPath = mountPathOf(request, mountedPath(services, PAGE_PATH))
        return textsOf(services).page.replaceAll(MOUNT_PATH, mountPath)
      },
    }),
  ]
  return operations
}

/** The part of a request's path before `ownPath`. Only the caller gets the answer, so the header can be trusted. */
function mountPathOf(request: HttpRequest, ownPath: string): string {
  const path = request.path.replace(/\/$/, '')
  const forwarded = request.header('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  const mounted = path.endsWith(ownPath) ? path.slice(0, -ownPath.length) : ''
  return [forwarded, mounted].filter((part) => PLAIN_PATH.test(part)).join('')
}

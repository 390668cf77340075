import type { Surface } from '../../surface.js'
import type { HttpRequest } from '../http.js'
import { describedRoutes } from './described-routes.js'
import { mountedPath } from './mounted-path.js'
import { openApiDocument } from './openapi.js'
import { publicOperation, type Operation } from './operation.js'
import { REFERENCE_POLICY, referencePage } from './reference-page.js'

const DOCUMENT_PATH = '/v2/openapi.json'
const PAGE_PATH = '/v2/reference'
/** Stands in kept texts where the mount path is to be. */
const MOUNT_PATH = '{{mount path}}'
const PLAIN_PATH = /^(\/[\w.~-]+)+$/

interface Texts {
  readonly routeCount: number
  readonly json: string
  readonly page: string
}

/**
 * What describes the other operations: the OpenAPI document, and a page of it for people. Both name paths as the caller of them
 * sees them: below what the host mounted the routes at, and below what a proxy took off and says in `X-Forwarded-Prefix`.
 */
export function referenceOperations(described: readonly Operation[]): readonly Operation[] {
  // Made when it is first asked for, most processes never are, and again when routes of other packages came afterwards.
  let texts: Texts | undefined
  function textsOf(surface: Surface): Texts {
    const routes = describedRoutes(surface)
    if (texts?.routeCount === routes.size) return texts
    const { paths, webhookHeaderPrefix } = surface
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
      answer: { status: 200, mediaType: 'application/json; charset=utf-8' },
      run({ surface, request }) {
        const mountPath = mountPathOf(request, mountedPath(surface, DOCUMENT_PATH))
        return textsOf(surface).json.replaceAll(MOUNT_PATH, mountPath || '/')
      },
    }),
    publicOperation({
      id: 'getReference',
      tag: 'reference',
      summary: 'This API as a page to read',
      method: 'GET',
      path: PAGE_PATH,
      answer: {
        status: 200,
        mediaType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': REFERENCE_POLICY },
      },
      run({ surface, request }) {
        const mountPath = mountPathOf(request, mountedPath(surface, PAGE_PATH))
        return textsOf(surface).page.replaceAll(MOUNT_PATH, mountPath)
      },
    }),
  ]
  return operations
}

/** What a request's path has before `ownPath`. Nobody but the caller gets the answer, so the header may be believed. */
function mountPathOf(request: HttpRequest, ownPath: string): string {
  const { path } = request
  const forwarded = request.header('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  const mounted = path.endsWith(ownPath) ? path.slice(0, -ownPath.length) : ''
  return [forwarded, mounted].filter((part) => PLAIN_PATH.test(part)).join('')
}

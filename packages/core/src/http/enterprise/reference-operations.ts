import type { Surface } from '../../surface.js'
import { openApiDocument, type OpenApiDocument } from './openapi.js'
import { publicOperation, type Operation } from './operation.js'
import { REFERENCE_POLICY, referencePage } from './reference-page.js'

/** What describes the other operations: the OpenAPI document, and a page of it for people. */
export function referenceOperations(described: readonly Operation[]): readonly Operation[] {
  // Made when it is first asked for: most processes never are.
  let document: OpenApiDocument | undefined
  let json: string | undefined
  let page: string | undefined
  const documentOf = ({ paths }: Surface): OpenApiDocument =>
    (document ??= openApiDocument([...described, ...operations], paths.enterprise))
  const operations: readonly Operation[] = [
    publicOperation({
      id: 'getOpenApi',
      tag: 'reference',
      summary: 'This API as an OpenAPI 3.1 document',
      method: 'GET',
      path: '/v2/openapi.json',
      answer: { status: 200, mediaType: 'application/json; charset=utf-8' },
      run: ({ surface }) => (json ??= JSON.stringify(documentOf(surface))),
    }),
    publicOperation({
      id: 'getReference',
      tag: 'reference',
      summary: 'This API as a page to read',
      method: 'GET',
      path: '/v2/reference',
      answer: {
        status: 200,
        mediaType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': REFERENCE_POLICY },
      },
      run: ({ surface }) => (page ??= referencePage(documentOf(surface))),
    }),
  ]
  return operations
}

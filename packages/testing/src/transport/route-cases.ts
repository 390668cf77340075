import assert from 'node:assert/strict'
import type { HttpRequest, HttpResponse, RouteGroup } from '@taskboard/core/transport'
import { sessionCase } from './board-session.js'
import { sendBytes } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const TAG = '"every-byte"'

function answerBytes(request: HttpRequest): HttpResponse {
  if (request.header('if-none-match') === TAG) return { status: 304, headers: { etag: TAG }, body: '' }
  return { status: 200, headers: { 'content-type': 'application/octet-stream', etag: TAG }, body: EVERY_BYTE }
}

const answerText = (body: string | undefined): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: body ?? 'unknown',
})

const files: RouteGroup = {
  routes: [
    { path: '/files', handle: async ({ path }) => answerText(path) },
    { path: '/files/', handle: async ({ path }) => answerText(path) },
    { path: '/files/bytes', handle: async (request) => answerBytes(request) },
    { path: '/files/origin', readsOrigin: true, handle: async (request) => answerText(request.targetOrigin) },
    { path: '/files/of/:name', handle: async ({ params }) => answerText(params['name']) },
  ],
}

/** Routes besides the routes of the task board, as the dashboard has them. */
export function routeCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const host = { mountPath: '/nested', routes: [files] }
  return [
    sessionCase(
      options,
      'route-bytes',
      'a route answers bytes, which arrive as they are',
      async ({ host: { url } }) => {
        const { status, headers, bytes } = await sendBytes(url, { path: '/nested/files/bytes' })
        assert.deepEqual([status, headers['content-type']], [200, 'application/octet-stream'])
        assert.deepEqual([...bytes], [...EVERY_BYTE])
        const head = await sendBytes(url, { method: 'HEAD', path: '/nested/files/bytes' })
        assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '256', 0])
        const known = { path: '/nested/files/bytes', headers: { 'if-none-match': TAG } }
        const same = await sendBytes(url, known)
        assert.deepEqual([same.status, same.headers['etag'], same.bytes.length], [304, TAG, 0])
      },
      { host },
    ),
    sessionCase(
      options,
      'route-paths',
      'a group of routes is served, with a slash at the end of a path or without it',
      async ({ request }) => {
        const textOf = async (path: string) => (await request({ path })).text
        assert.equal(await textOf('/nested/files'), '/nested/files')
        assert.equal(await textOf('/nested/files/'), '/nested/files/')
        assert.equal(await textOf('/nested/files/of/a%20b'), 'a b')
      },
      { host },
    ),
    sessionCase(
      options,
      'route-origin',
      'a route that reads the origin of its request gets the one that the client addressed',
      async ({ request, host: { url } }) => {
        assert.equal(new URL((await request({ path: '/nested/files/origin' })).text).host, new URL(url).host)
      },
      { host },
    ),
  ]
}

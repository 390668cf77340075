import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { createTaskboard } from '@taskboard/core'
import type { Route } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import compression from 'compression'
import express, { type Application } from 'express'
import express4 from 'express4'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '@taskboard/kit/hosts/express-host'
import { taskboardRouter } from './index.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A route whose stream has one chunk, and the next when the client has said that it read the one before. */
function inTurns() {
  let next = (): void => undefined
  const route: Route = {
    path: '/turns',
    handle: async () => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: '',
      stream: new ReadableStream({
        start(controller) {
          let turn = 0
          next = () => controller.enqueue(new TextEncoder().encode(`turn ${(turn += 1)}\n`))
          next()
        },
      }),
    }),
  }
  return { route, next: () => next() }
}

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('a stream on %s below compression()', (_, framework) => {
  it('brings each chunk as it comes, compressed', async () => {
    const { route, next } = inTurns()
    const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
    const app: Application = framework()
    app.use(compression(), taskboardRouter(taskboard, { routes: [route] }))
    const host = await listen(app)
    cleanUps.push(() => host.close())
    const asked = get(`${host.url}/turns`, { agent: false, headers: { 'accept-encoding': 'gzip' } })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    cleanUps.push(() => response.destroy())
    expect(response.headers['content-encoding']).toBe('gzip')
    const text = response.pipe(createGunzip()).setEncoding('utf8')
    for (const turn of ['turn 1\n', 'turn 2\n', 'turn 3\n']) {
      expect((await once(text, 'data'))[0]).toBe(turn)
      next()
    }
  })
})

import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { createTaskboard } from '@taskboard/core'
import { type Route, toFetchHandler } from '@taskboard/core/transport'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { fastify } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mounts } from '@taskboard/kit/mcp/mcp-host'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A route whose answer is a stream of ticks without an end. */
function ticking() {
  const cancelled = vi.fn<() => void>()
  let ticks = 0
  const stream = () =>
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (ticks++ > 0) await new Promise((resolve) => setTimeout(resolve, 20))
          controller.enqueue(new TextEncoder().encode(`${ticks}\n`))
        },
        cancel: cancelled,
      },
      { highWaterMark: 0 },
    )
  const route: Route = {
    path: '/ticks',
    handle: async () => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: '',
      stream: stream(),
    }),
  }
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  cleanUps.push(() => taskboard.close())
  return { taskboard, route, cancelled }
}

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(`${url}/ticks`, { agent: false }), 'response')) as [IncomingMessage]
  return response.setEncoding('utf8')
}

describe.each(mounts)('an answer as a stream, on %s', (_, mount) => {
  it('arrives as it comes, and is cancelled when the client disconnects', async () => {
    const { taskboard, route, cancelled } = ticking()
    const host = await mount(taskboard, [route])
    cleanUps.push(() => host.close())
    const response = await open(host.url)
    expect(response.headers).not.toHaveProperty('content-length')
    expect((await once(response, 'data'))[0]).toMatch(/^1\n/)
    expect(cancelled).not.toHaveBeenCalled()
    response.destroy()
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce(), 5_000)
  })
})

describe('an answer as a stream', () => {
  it('does not keep a Fastify application from closing', async () => {
    const { taskboard, route, cancelled } = ticking()
    const app = fastify()
    await app.register(taskboardPlugin, { taskboard, routes: [route] })
    const response = await open(await app.listen({ host: '127.0.0.1', port: 0 }))
    response.on('error', () => undefined)
    await once(response, 'data')
    await app.close()
    expect(cancelled).toHaveBeenCalledOnce()
  })

  it('is the body of a Web response', async () => {
    const { taskboard, route, cancelled } = ticking()
    const response = await toFetchHandler(taskboard, { routes: [route] })(
      new Request('http://a.example/ticks'),
    )
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('1\n')
    await reader?.cancel()
    expect(cancelled).toHaveBeenCalledOnce()
  })
})

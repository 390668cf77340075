import formbody from '@fastify/formbody'
import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { fastify, type FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { taskboardPlugin } from './taskboard-plugin.js'

/** Responds with the bytes that it got. */
const echo: NonNullable<TaskboardOptions['bots']>[number] = {
  name: 'echo',
  label: 'Echo',
  path: '/bots/echo',
  handle: async ({ bytes }) => ({ status: 200, type: 'text/plain', body: new TextDecoder().decode(bytes) }),
  show: async () => ({ outcome: 'gone' }),
}

const BODY = 'text=a%20b&text=c+d&x=%E2%9C%93'

it('reaches a bot byte for byte beside @fastify/formbody, which reads the bodies of the host alone', async () => {
  const app: FastifyInstance = fastify()
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    bots: [echo],
    publicUrl: 'https://app.example',
    authenticate: () => null,
    people: { principal: () => null },
    logger: false,
  })
  try {
    await app.register(formbody)
    app.post('/own', (request) => request.body)
    await app.register(taskboardPlugin, { taskboard })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const send = async (path: string, type = 'application/x-www-form-urlencoded') =>
      (await fetch(`${url}${path}`, { method: 'POST', body: BODY, headers: { 'content-type': type } })).text()
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain']) {
      expect(await send('/bots/echo', type)).toBe(BODY)
    }
    expect(JSON.parse(await send('/own'))).toEqual({ text: ['a b', 'c d'], x: '✓' })
  } finally {
    await app.close()
    await taskboard.close()
  }
})

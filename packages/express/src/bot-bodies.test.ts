import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import express, { type Express } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { taskboardRouter } from './taskboard-router.js'

type Bot = NonNullable<TaskboardOptions['bots']>[number]

/** Answers with the bytes that it got. */
const echo: Bot = {
  name: 'echo',
  label: 'Echo',
  path: '/bots/echo',
  handle: async ({ bytes }) => ({ status: 200, type: 'text/plain', body: new TextDecoder().decode(bytes) }),
  show: async () => ({ outcome: 'gone' }),
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The routes of a bot behind what the host has before them. */
async function mounted(before: (app: Express) => void): Promise<{ url: string; lines: string[] }> {
  const lines: string[] = []
  const note = (fields: object, message: string): void => {
    const { err } = fields as { readonly err?: Error }
    lines.push(`${message}: ${err?.message ?? ''}`)
  }
  const none = (): void => undefined
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    bots: [echo],
    publicUrl: 'https://app.example',
    authenticate: () => null,
    people: { principal: () => null },
    logger: { debug: none, info: none, warn: none, error: note, fatal: note },
  })
  const app = express()
  before(app)
  app.use(taskboardRouter(taskboard))
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(
    () => taskboard.close(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bots/echo`, lines }
}

const BODY = 'text=a%20b&text=c+d&x=%E2%9C%93'
const send = (url: string, type = 'application/x-www-form-urlencoded') =>
  fetch(url, { method: 'POST', body: BODY, headers: { 'content-type': type } })

describe('the body of an update', () => {
  it('reaches a bot byte for byte, whatever its media type', async () => {
    const { url } = await mounted(() => undefined)
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain']) {
      expect(await (await send(url, type)).text()).toBe(BODY)
    }
  })

  it('that a parser of the host has read is refused, and the log says which line to move', async () => {
    const { url, lines } = await mounted((app) => app.use(express.urlencoded({ extended: false })))
    expect((await send(url)).status).toBe(500)
    expect(lines.join()).toContain('Mount Taskboard above the line that adds it')
    expect(lines.join()).toContain('express.urlencoded()')
  })

  it('that a parser of the host has read is taken from rawBody', async () => {
    const { url } = await mounted((app) =>
      app.use(
        express.urlencoded({
          extended: false,
          verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
        }),
      ),
    )
    expect(await (await send(url)).text()).toBe(BODY)
  })
})

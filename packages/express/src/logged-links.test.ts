import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { inspect } from 'node:util'
import { createTaskboard, type Logger, type Storage, type Telemetry } from '@taskboard/core'
import type { TelemetrySpan } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import express, { type RequestHandler } from 'express'
import morgan from 'morgan'
import { pinoHttp } from 'pino-http'
import { describe, expect, it } from 'vitest'
import { taskboardRouter } from './taskboard-router.js'

const page = readFileSync(new URL('../../../docs/decision-links.md', import.meta.url), 'utf8')
/** As the page has it. */
const REDACTED = String.raw`text?.replaceAll(/(\/decide\/)[\w-]+/g, '$1redacted')`
const redacted = (text: string | undefined): string | undefined =>
  text?.replaceAll(/(\/decide\/)[\w-]+/g, '$1redacted')

/** Everything that the library writes or reports. */
function recorder() {
  const texts: string[] = []
  const note = (...given: unknown[]): void => void texts.push(inspect(given, { depth: 10 }))
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  const span: TelemetrySpan = { traceparent: null, set: note }
  const telemetry: Telemetry = {
    span(start, work) {
      note(start)
      return work(span)
    },
    detached: (work) => work(),
    measure: note,
    observe: () => () => undefined,
  }
  return { texts, logger, telemetry }
}

/** A board on Express behind the host's own handlers, and a request to its link. */
async function serve(handlers: readonly RequestHandler[], breakIn?: (storage: Storage) => Storage) {
  const { texts, logger, telemetry } = recorder()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plain = memoryStorage()
  const taskboard = createTaskboard({
    storage: breakIn?.(plain) ?? plain,
    logger,
    telemetry,
    tokens: { secret: 'x'.repeat(32) },
    passwordHasher: plainPasswordHasher,
    publicUrl: origin,
    limits: { failedCredentialsPerMinute: 2 },
  })
  const app = express()
  for (const each of handlers) app.use(each)
  server.on('request', app.use(taskboardRouter(taskboard)))
  taskboard.events.on('audit', (record) => void texts.push(inspect(record, { depth: 10 })))
  await taskboard.start()
  const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
  const { workspace, user } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
  const agent = await taskboard.agents.create(workspace.id, { name: 'Clerk', type: 'clerk' })
  const board = taskboard.board(workspace.id)
  const { id: taskId } = await board.add({ title: 'Answer the complaint' })
  const task = await board.claim({ agentId: agent.id, taskId })
  const request = { action: 'refund', summary: 'Refund', input: { order: 7 } }
  const fencingToken = task?.fencingToken ?? 0
  const { approval } = await board.requestApproval(taskId, { fencingToken, ...request })
  const about = { workspaceId: workspace.id, approvalId: approval.id, userId: user?.id ?? '' }
  const { url } = await taskboard.links.create(about)

  async function send(method: string, decision?: string, to = url): Promise<string> {
    const headers = { origin, referer: to, 'x-request-id': 'planted' }
    const body = decision === undefined ? null : new URLSearchParams({ decision })
    const response = await fetch(to, { method, headers, body, redirect: 'manual' })
    return `${response.status} ${inspect([...response.headers])} ${await response.text()}`
  }
  return {
    texts,
    url,
    token: url.split('/').at(-1) ?? '',
    send,
    async close(): Promise<void> {
      await taskboard.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('what opens a link', () => {
  it('is in no log, trace, metric, error, audit or answer', async () => {
    let isDown = false
    const served = await serve([], (storage) => ({
      ...storage,
      links: {
        ...storage.links,
        findLink: (named, call) =>
          isDown ? Promise.reject(new Error('broken')) : storage.links.findLink(named, call),
      },
    }))
    const { token, send, texts } = served
    const answers = [await send('GET'), await send('HEAD'), await send('PUT'), await send('POST', 'perhaps')]
    isDown = true
    answers.push(await send('GET'), await send('POST', 'approved'))
    isDown = false
    answers.push(await send('POST', 'approved'), await send('POST', 'rejected'))
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (let i = 0; i < 4; i++) answers.push(await send('GET', undefined, served.url.replace(token, wrong)))
    await served.close()
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual([
      '200',
      '200',
      '405',
      '200',
      '500',
      '500',
      '200',
      '200',
      '404',
      '404',
      '429',
      '429',
    ])
    expect(texts.join('\n')).toContain('/v2/decide/:token')
    expect(texts.join('\n')).toContain('a link failed')
    for (const text of [...texts, ...answers]) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(wrong)
    }
  })

  it('is in no access log of pino-http and morgan with the lines of the page', async () => {
    expect(page).toContain(REDACTED)
    const lines: string[] = []
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const pino = pinoHttp(
      {
        serializers: {
          req: (request: { url: string; headers: Record<string, string> }) => ({
            ...request,
            url: redacted(request.url),
            params: undefined,
            headers: { ...request.headers, referer: redacted(request.headers['referer']) },
          }),
        },
      },
      stream,
    )
    morgan.token('url', (request: express.Request) => redacted(request.originalUrl))
    morgan.token('referrer', (request) => redacted(request.headers.referer))
    const served = await serve([pino, morgan('combined', { stream }), morgan('dev', { stream })])
    await served.send('GET')
    await served.send('POST', 'approved')
    await served.close()
    const log = lines.join('')
    expect(log).toContain('/v2/decide/redacted')
    expect(log.match(/decide\/redacted/g)?.length).toBeGreaterThanOrEqual(10)
    expect(log).not.toContain(served.token)
  })
})

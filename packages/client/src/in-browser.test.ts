import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '@taskboard/kit/browser/launch-browser'
import { type FaultyProxy, faultyProxy } from '../test/faulty-proxy.js'
import { type ServedBoard, serveBoard } from '../test/served-board.js'
import type * as Client from './index.js'

/** The client as the page has it. */
declare const taskboard: typeof Client

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const PAGE = {
  answer: 200,
  headers: { 'content-type': 'text/html' },
  body: '<link rel="icon" href="data:,">',
}

describe('the client in Chromium', () => {
  let board: ServedBoard
  let proxy: FaultyProxy
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    board = await serveBoard('Express')
    proxy = await faultyProxy(board.baseUrl)
    browser = await launchBrowser()
    page = await browser.newPage()
    proxy.faults.push(PAGE)
    await page.goto(`${proxy.baseUrl}/page`)
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
      bundle: true,
      format: 'iife',
      globalName: 'taskboard',
      write: false,
    })
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  }, 60_000)

  afterAll(async () => {
    await browser.close()
    await proxy.close()
    await board.close()
  })

  it('creates one task when the server is unavailable, and when the connection breaks after the commit', async () => {
    proxy.faults.push({ answer: 503 }, { answer: 503 }, 'cut')
    const titles = await page.evaluate(async (key) => {
      const retry = { baseDelayMs: 1 }
      const client = taskboard.createClient({ baseUrl: '/kanban', key, retry })
      await client.tasks.create({ title: 'from a page' })
      const seen: string[] = []
      for await (const { title } of client.tasks.listAll()) seen.push(title)
      return seen
    }, board.key)
    expect(titles).toEqual(['from a page'])
    const creates = proxy.requests.filter(({ method }) => method === 'POST')
    expect([creates.length, new Set(creates.map(({ headers }) => headers['idempotency-key'])).size]).toEqual([
      4, 1,
    ])
  })

  it('refuses a redirect, whose status a browser hides, without a repeat', async () => {
    const before = proxy.requests.length
    proxy.faults.push({ answer: 302, headers: { location: '/kanban/v2/tasks' } })
    const seen = await page.evaluate(async (key) => {
      const client = taskboard.createClient({ baseUrl: '/kanban', key })
      const failure = await client.tasks.create({ title: 'elsewhere' }).catch((error: unknown) => error)
      return failure instanceof taskboard.TaskboardApiError ? [failure.status, failure.code] : String(failure)
    }, board.key)
    expect(seen).toEqual([0, 'INVALID_ANSWER'])
    expect(proxy.requests.length).toBe(before + 1)
  })

  it('logs in, reports errors, and rejects at once when it is aborted', async () => {
    const seen = await page.evaluate(async (login) => {
      const client = taskboard.createClient({ baseUrl: '/kanban', login })
      const { name } = await client.account.get()
      const failure = await client.tasks.get('nothing').catch((error: unknown) => error)
      const isKnown = failure instanceof taskboard.TaskboardApiError
      const signal = AbortSignal.abort(new Error('left'))
      const aborted = await client.tasks.list({}, { signal }).catch(String)
      return [name, isKnown && failure.code, isKnown && failure.requestId !== null, aborted]
    }, board.owner)
    expect(seen).toEqual(['Acme', 'RESOURCE_NOT_FOUND', true, 'Error: left'])
  })
})

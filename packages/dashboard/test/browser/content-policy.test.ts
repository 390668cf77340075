import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildFixtureApp, type FixtureApp } from '../fixture-app.js'
import { useStage } from '../opened-app.js'
import type { ServedBoard } from '../served-board.js'

const stage = useStage({ host: 'Fastify', storage: 'memory', mountPath: '/nested', login: 'host' })
let fixture: FixtureApp
let served: ServedBoard
/** A server of somebody else, which notes what it was asked for. */
const asked: string[] = []
const elsewhere = createServer((request, response) => {
  asked.push(request.url ?? '')
  const type = request.url === '/' ? 'text/html' : 'text/javascript'
  response
    .writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' })
    .end('window.theirs = true')
})
let theirs: string

beforeAll(async () => {
  fixture = await buildFixtureApp()
  served = await stage.serve({ dashboard: { folder: fixture.folder } })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  theirs = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
})
afterAll(async () => {
  await fixture.remove()
  elsewhere.close().closeAllConnections()
})

async function openPage() {
  const tab = await (await stage.person()).openTab()
  await tab.page.goto(`${served.url}/dashboard`)
  await tab.page.getByText('ready').waitFor()
  return tab
}

describe('the page in a browser', () => {
  it('runs its script, has its styles, and loads further files below its mount path', async () => {
    const { page } = await openPage()
    expect(page.url()).toBe(`${served.url}/dashboard/`)
    expect(await page.title()).toBe('Fixture')
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(1, 2, 3)')
    expect(await page.evaluate('loadMore().then(({ later }) => later)')).toBe('loaded')
  })

  it('reaches the realtime channel of its own origin', async () => {
    const { page } = await openPage()
    const opened = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '${stage.setting.mountPath}/v2/realtime')
      socket.onopen = () => { socket.close(); resolve('open') }
      socket.onerror = () => resolve('refused')
    })`)
    expect(opened).toBe('open')
  })

  it('runs nothing that is written into it', async () => {
    const { page, expectProblem } = await openPage()
    expectProblem(/violates|Trusted/)
    const tried = await page.evaluate(`(async () => {
      const outcomes = []
      const attempt = (work) => { try { work(); outcomes.push('done') } catch (error) { outcomes.push(error.name) } }
      attempt(() => { document.body.innerHTML = '<img src=x onerror="window.theirs = true">' })
      attempt(() => { document.createElement('script').textContent = 'window.theirs = true' })
      attempt(() => { document.createElement('script').src = '${theirs}/script.js' })
      attempt(() => { document.write('<script>window.theirs = true</scr' + 'ipt>') })
      const parsed = new DOMParser()
      attempt(() => parsed.parseFromString('<b>x</b>', 'text/html'))
      const button = document.createElement('button')
      attempt(() => button.setAttribute('onclick', 'window.theirs = true'))
      document.body.append(button)
      button.click()
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { outcomes, theirs: window.theirs === true }
    })()`)
    expect(tried).toEqual({
      outcomes: ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError'],
      theirs: false,
    })
  })

  it('loads and sends nothing elsewhere', async () => {
    const { page, expectProblem } = await openPage()
    expectProblem(/violates|Refused|Failed to load/)
    const outcomes = await page.evaluate(`(async () => {
      const violated = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violated.push(effectiveDirective))
      const add = (name, members) => document.body.append(Object.assign(document.createElement(name), members))
      await fetch('${theirs}/data').catch(() => undefined)
      navigator.sendBeacon('${theirs}/beacon', 'x')
      new WebSocket('${theirs.replace('http', 'ws')}/socket')
      add('img', { src: '${theirs}/image.png' })
      add('link', { rel: 'stylesheet', href: '${theirs}/style.css' })
      add('iframe', { src: '${theirs}/' })
      add('form', { action: '${theirs}/form', method: 'post' })
      document.forms[0].submit()
      add('base', { href: '${theirs}/' })
      await new Promise((resolve) => setTimeout(resolve, 200))
      return violated.sort()
    })()`)
    expect(outcomes).toEqual([
      'base-uri',
      'connect-src',
      'connect-src',
      'connect-src',
      'form-action',
      'frame-src',
      'img-src',
      'style-src-elem',
    ])
    expect(asked).toEqual([])
  })

  it('is in no frame, not even of its own origin', async () => {
    const { page, expectProblem } = await openPage()
    expectProblem(/frame|violates|Refused/i)
    await page.goto(theirs)
    asked.splice(0)
    await page.setContent(`<iframe src="${served.url}/dashboard/"></iframe>`)
    await page.waitForLoadState('networkidle')
    const frame = page.frames().find((each) => each !== page.mainFrame())
    expect(frame?.url()).toMatch(/^chrome-error:/)
  })
})

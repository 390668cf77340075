import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { followLink } from '@taskboard/kit/browser/follow-link'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Person } from '../browser.js'
import { useStage } from '../opened-app.js'
import { MEMBER, type ServedBoard } from '../served-board.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '', login: 'taskboard' })
/** Pages of somebody else, without any policy of their own. */
const attacker = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Prizes</title>')
})
let port: number
beforeAll(async () => {
  attacker.listen(0)
  await once(attacker, 'listening')
  port = (attacker.address() as AddressInfo).port
})
afterAll(() => attacker.close().closeAllConnections())

/** Where the attacker's page is, and whether browsers send it a site's `SameSite` cookies: they go by the host, without the port. */
const attackers = [
  { where: 'another site', urlOf: () => `http://localhost:${port}/` },
  { where: 'another port of the same host', urlOf: () => `http://127.0.0.1:${port}/` },
]

/** What a page can make a browser send. Resolves when every answer has come or was refused; returns what the page could read. */
function attackIn(page: Page, url: string, loginCode: string): Promise<unknown> {
  return page.evaluate(`(async () => {
    const read = []
    const targets = [
      ['/dashboard/session/refresh', ''],
      ['/dashboard/session/logout', ''],
      ['/dashboard/session/code/show', JSON.stringify({ code: '${loginCode}' })],
      ['/dashboard/session/code', JSON.stringify({ code: '${loginCode}' })],
      ['/v2/tasks', JSON.stringify({ title: 'theirs' })],
      ['/api/board?action=add', JSON.stringify({ title: 'theirs' })],
    ]
    for (const [path, body] of targets) {
      for (const type of ['text/plain', 'application/json']) {
        for (const mode of ['cors', 'no-cors']) {
          const init = { method: 'POST', mode, credentials: 'include', body, headers: { 'content-type': type } }
          await fetch('${url}' + path, init).then(async (answer) => {
            const text = await answer.text()
            if (text !== '') read.push(text)
          }, () => undefined)
        }
      }
      const [, value = ''] = /^\\{"\\w+":"(.*)"\\}$/.exec(body) ?? []
      const frame = Object.assign(document.createElement('iframe'), { name: 'sink' + path })
      const form = Object.assign(document.createElement('form'), {
        action: '${url}' + path, method: 'post', enctype: 'text/plain', target: frame.name,
      })
      // The body of the form is the JSON text, but for an equals sign in a value.
      form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' }))
      document.body.append(frame, form)
      const loaded = new Promise((resolve) => { frame.onload = resolve })
      form.submit()
      await loaded
    }
    for (const path of ['/dashboard/config', '/v2/account', '/v2/tasks']) {
      await fetch('${url}' + path, { credentials: 'include' }).then(async (answer) => read.push(await answer.text()), () => undefined)
    }
    return read
  })()`)
}

/** Whether a page can open a WebSocket and follow the board by the user's cookies alone. */
function followIn(page: Page, url: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const socket = new WebSocket('${url.replace('http', 'ws')}/v2/realtime')
    socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token: '' }))
    socket.onmessage = ({ data }) => resolve(JSON.parse(data).type)
    socket.onclose = () => resolve('closed')
  })`)
}

async function openAttack(person: Person, url: string): Promise<Page> {
  const { page, expectProblem } = await person.openTab()
  expectProblem(/./)
  await page.goto(url)
  return page
}

async function titlesOf({ board }: ServedBoard): Promise<readonly string[]> {
  return (await board.list('TODO')).tasks.map(({ title }) => title)
}

describe.each(attackers)('a page of $where', ({ urlOf }) => {
  it('neither uses nor ends the session of somebody who is logged in, nor logs them in as somebody else', async () => {
    const served = await stage.serve({ login: 'taskboard' })
    const { url, taskboard, dashboard } = served
    await served.board.add({ title: 'ours' })
    const person = await stage.person()
    const { page } = await person.openTab()
    await followLink(page, await served.link())
    await page.getByText('ours').waitFor()

    const other = { email: 'mallory@example.com', password: 'a long password of theirs' }
    await taskboard.accounts.create({ name: 'Mallory', tier: 'professional', owner: other })
    const theirLink = await dashboard.createLoginLink({ email: other.email, baseUrl: url })
    const attack = await openAttack(person, urlOf())
    expect(await attackIn(attack, url, theirLink.split('=')[1] ?? '')).toEqual([])
    expect(await followIn(attack, url)).not.toBe('auth.ok')
    expect(await titlesOf(served)).toEqual(['ours'])

    await page.reload()
    await page.getByText('ours').waitFor()
  })

  it('neither reads nor changes the board by the cookie of a host’s login', async () => {
    const served = await stage.serve({ login: 'host' })
    const { url } = served
    await served.board.add({ title: 'ours' })
    const person = await stage.person()
    const { page } = await person.openTab()
    await page.goto(`${url}/dashboard/config`)
    await page.evaluate(`document.cookie = 'member=${MEMBER}; path=/'`)
    await page.goto(`${url}/dashboard/`)
    await page.getByText('ours').waitFor()

    const attack = await openAttack(person, urlOf())
    expect(await attackIn(attack, url, 'none')).toEqual([])
    expect(await followIn(attack, url)).not.toBe('auth.ok')
    expect(await titlesOf(served)).toEqual(['ours'])
    await page.reload()
    await page.getByText('ours').waitFor()
  })
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Storage } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useBrowser, type Tab } from '../browser.js'
import { OWNER, serveDecisions } from '../decided-board.js'

const browser = useBrowser()

type Options = Parameters<typeof serveDecisions>[0]

async function serve(options?: Options, storage?: Storage) {
  const served = await serveDecisions(options, storage)
  browser.atEnd(() => served.close())
  return served
}

/** A tab in which no script runs. */
async function openTab(): Promise<Tab> {
  const { openTab: open } = await browser.person({ javaScriptEnabled: false })
  const tab = await open()
  // What is not decided is answered with a status of its own, which Chromium reports.
  tab.expectProblem(/Failed to load resource/)
  return tab
}

async function press(page: Page, name: 'Approve' | 'Reject' | 'Log in'): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.waitForLoadState()
}

const text = (page: Page): Promise<string> => page.locator('main').innerText()

describe('a link that decides', () => {
  it('shows the exact input, who asks, and until when, and decides with a comment', async () => {
    const { ask, linkTo, decider, userId } = await serve({ links: { name: 'Acme & Co', color: '#0b57d0' } })
    const { id } = await ask({ order: 7, note: '<b>bold</b> \u202e' })
    const { page } = await openTab()
    const response = await page.goto(await linkTo(id))
    expect(response?.headers()).toMatchObject({
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })
    const policy = response?.headers()['content-security-policy']
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(await page.title()).toContain('Acme & Co')
    const shown = await text(page)
    for (const part of [
      'Refund 19.00 EUR',
      'Clerk',
      'Answer the complaint',
      OWNER.email,
      '2026-01-02 00:00 UTC',
      '<b>bold</b>',
      '\\u202e',
    ])
      expect(shown).toContain(part)
    expect(await page.locator('code').innerText()).toMatch(/^[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}$/)
    await page.getByLabel('Comment').fill('Only this once')
    await press(page, 'Approve')
    expect(await text(page)).toContain(`Approved by ${OWNER.email}`)
    expect(await text(page)).toContain('Only this once')
    expect(await decider(id)).toBe(userId)
  })

  it('decides nothing by GET and by HEAD', async () => {
    const { ask, linkTo, decider } = await serve()
    const { id } = await ask()
    const url = await linkTo(id)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const response = await fetch(`${url}?decision=approved`, { method })
      expect(response.status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405)
      if (method === 'HEAD') expect(await response.text()).toBe('')
    }
    expect(await decider(id)).toBeNull()
  })

  it('decides nothing in a preview, a prefetch or a scanner, also with cookies', async () => {
    const { ask, linkTo, decider, origin } = await serve()
    const { id } = await ask()
    const url = await linkTo(id)
    const { context, openTab: open } = await browser.person({ javaScriptEnabled: false })
    await context.addCookies([{ name: 'session', value: 'of ada', url: origin }])
    const { page } = await open()
    const asPrefetch = { 'sec-purpose': 'prefetch;prerender', purpose: 'prefetch', 'x-moz': 'prefetch' }
    await page.setExtraHTTPHeaders(asPrefetch)
    await page.goto(url)
    for (const agent of [
      'Slackbot-LinkExpanding 1.0',
      'TelegramBot (like TwitterBot)',
      'facebookexternalhit/1.1',
    ])
      expect((await context.request.get(url, { headers: { 'user-agent': agent } })).status()).toBe(200)
    // A scanner that sends the form as well is no page of the board.
    const form = { decision: 'approved' }
    expect((await context.request.post(url, { form })).status()).toBe(403)
    expect(await decider(id)).toBeNull()
  })

  it('decides once: a replay says what was decided, when and by whom', async () => {
    const { ask, linkTo, decider, board, userId } = await serve()
    const { id, taskId } = await ask()
    const [url, first, { page }] = [await linkTo(id), await openTab(), await openTab()]
    await first.page.goto(url)
    await page.goto(url)
    await press(first.page, 'Approve')
    await press(page, 'Reject')
    expect(await text(page)).toContain(`Approved by ${OWNER.email}, 2026-01-01 00:00 UTC`)
    await page.reload()
    expect(await text(page)).toContain('This is decided')
    expect(await decider(id)).toBe(userId)
    const { comments } = await board.comments(taskId)
    expect(comments.filter(({ kind }) => kind === 'decision')).toHaveLength(1)
  })

  it('decides once when two people click at the same moment', async () => {
    const { ask, linkTo, board } = await serve()
    const { id, taskId } = await ask()
    const url = await linkTo(id)
    const pages = await Promise.all([1, 2].map(async () => (await openTab()).page))
    await Promise.all(pages.map((page) => page.goto(url)))
    await Promise.all(pages.map((page, index) => press(page, index === 0 ? 'Approve' : 'Reject')))
    const shown = await Promise.all(pages.map(text))
    expect(shown[0]).toBe(shown[1])
    expect(shown[0]).toMatch(/^(Approved|Rejected)\n/)
    const { comments } = await board.comments(taskId)
    expect(comments.filter(({ kind }) => kind === 'decision')).toHaveLength(1)
  })

  it('decides nothing when it has expired', async () => {
    const { ask, linkTo, decider, clock } = await serve()
    const { id } = await ask()
    const { page } = await openTab()
    await page.goto(await linkTo(id))
    await clock.advance(24 * 3_600_000)
    await press(page, 'Approve')
    expect(await text(page)).toContain('has expired. No decision was made.')
    expect(await text(page)).not.toContain('Refund')
    expect(await decider(id)).toBeNull()
  })

  it('decides nothing for a person who may not decide any more', async () => {
    const { ask, linkTo, decider, taskboard, accountId } = await serve()
    const { id } = await ask()
    const bea = await taskboard.accounts.createUser(accountId, { ...OWNER, email: 'bea@acme.example' })
    const { page } = await openTab()
    await page.goto(await linkTo(id, bea.id))
    await taskboard.accounts.setRole(accountId, bea.id, 'viewer')
    await press(page, 'Approve')
    expect(await text(page)).toContain('You can no longer decide this. No decision was made.')
    expect(await text(page)).not.toContain('Refund')
    await taskboard.accounts.deleteUser(bea.id)
    await page.reload()
    expect(await text(page)).toContain('This link is not valid')
    expect(await decider(id)).toBeNull()
  })

  it('decides nothing of a request that was withdrawn', async () => {
    const { ask, linkTo, decider, board } = await serve()
    const { id, taskId } = await ask()
    const { page } = await openTab()
    await page.goto(await linkTo(id))
    await board.move(taskId, 'TODO')
    await press(page, 'Approve')
    expect(await text(page)).toContain('The request was withdrawn')
    expect(await decider(id)).toBeNull()
    await board.delete(taskId)
    await page.reload()
    expect(await text(page)).toContain('This link is not valid')
  })

  it('decides nothing when the input is another one', async () => {
    const storage: Storage = memoryStorage()
    let isChanged = false
    const { listApprovals } = storage.approvals
    const changing: Storage = {
      ...storage,
      approvals: {
        ...storage.approvals,
        async listApprovals(query, call) {
          const page = await listApprovals(query, call)
          if (!isChanged) return page
          return {
            ...page,
            approvals: page.approvals.map((each) => ({ ...each, input: { order: 7, cents: 190_000 } })),
          }
        },
      },
    }
    const { ask, linkTo, decider } = await serve({}, changing)
    const { id } = await ask()
    const { page } = await openTab()
    await page.goto(await linkTo(id))
    isChanged = true
    await press(page, 'Approve')
    expect(await text(page)).toContain('The request has changed since. No decision was made.')
    expect(await decider(id)).toBeNull()
  })

  it('decides nothing by the form of another origin', async () => {
    const { ask, linkTo, decider } = await serve()
    const { id } = await ask()
    const url = await linkTo(id)
    const page = `<!doctype html><title>Prizes</title><form method="post" action="${url}"><button name="decision" value="approved">Approve</button></form>`
    const attacker = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    )
    attacker.listen(0)
    await once(attacker, 'listening')
    browser.atEnd(async () => attacker.close())
    const { port } = attacker.address() as AddressInfo
    // Another site, and another port of the same host.
    for (const host of ['localhost', '127.0.0.1']) {
      const tab = await openTab()
      await tab.page.goto(`http://${host}:${port}/`)
      await press(tab.page, 'Approve')
      expect(await text(tab.page)).toContain('Only the page of this link decides.')
    }
    for (const headers of [
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port}` },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      {},
    ] as const) {
      const body = new URLSearchParams({ decision: 'approved' })
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403)
    }
    expect(await decider(id)).toBeNull()
  })
})

describe('a link that asks for the login', () => {
  it('shows and decides nothing before the password, and then decides', async () => {
    const { ask, linkTo, decider, userId, clock } = await serve({ links: { requireLogin: true } })
    const { id } = await ask()
    const url = await linkTo(id)
    const { page } = await openTab()
    expect((await page.goto(url))?.status()).toBe(401)
    expect(await text(page)).not.toContain('Refund')
    const body = new URLSearchParams({ decision: 'approved' })
    const blind = await fetch(url, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body })
    expect(blind.status).toBe(401)
    await page.getByLabel('Your password').fill('a wrong one')
    await press(page, 'Log in')
    expect(await text(page)).toContain('The password is wrong.')
    await page.getByLabel('Your password').fill(OWNER.password)
    await press(page, 'Log in')
    expect(await text(page)).toContain('Refund 19.00 EUR')
    await clock.advance(600_000)
    await press(page, 'Approve')
    expect(await text(page)).toContain('Your password')
    expect(await decider(id)).toBeNull()
    await page.getByLabel('Your password').fill(OWNER.password)
    await press(page, 'Log in')
    await press(page, 'Approve')
    expect(await decider(id)).toBe(userId)
  })
})

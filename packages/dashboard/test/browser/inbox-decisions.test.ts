import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '', login: 'taskboard' })

/** By the page: after it a decision is sent. */
const UNDO_MS = 5_000
/** By the page: after it a button that has just come can be pressed. */
const SETTLE_MS = 600

interface Ask {
  readonly action?: string
  readonly input?: unknown
}

/** A person before the inbox, with a task for each of `asks` that waits for an approval: Refund 1, Refund 2 and so on. */
async function openInbox(asks: readonly Ask[], options: OpenOptions = {}) {
  const app = await stage.open({ ...options, isLoggedIn: false })
  const agent = await app.taskboard.agents.create(app.workspaceId, { name: 'Quill', type: 'money' })
  const ask = async (title: string, { action = 'refund', input = { cents: 1_900 } }: Ask) => {
    await app.board.add({ title })
    const task = await app.board.claim({ agentId: agent.id, leaseMs: 60_000 })
    const fencingToken = task?.lease?.fencingToken ?? -1
    const asked = { fencingToken, action, summary: `May I? ${title}`, input }
    const { approval } = await app.board.requestApproval(task?.id ?? '', asked)
    return approval.id
  }
  const ids: string[] = []
  for (const [index, one] of asks.entries()) ids.push(await ask(`Refund ${index + 1}`, one))
  await app.page.clock.install()
  await app.logIn()
  await app.go('#/inbox')
  await app.page
    .locator('[data-decision=approved]')
    .nth(asks.length - 1)
    .waitFor()
  await app.page.clock.fastForward(SETTLE_MS)
  return { ...app, ids, ask }
}

/** The decisions that the server knows, by the numbers of the tasks. */
async function decided({ taskboard, accountId, ids }: OpenedApp & { readonly ids: readonly string[] }) {
  const reach = { accountId, workspaceIds: 'all' } as const
  const { approvals } = await taskboard.approvals.search(reach, { limit: 100 })
  return Object.fromEntries(
    approvals
      .filter(({ status }) => status !== 'pending')
      .map(({ id, status }) => [ids.indexOf(id) + 1, status] as const)
      .toSorted(([one], [other]) => one - other),
  )
}

const entry = (page: Page, number: number): Locator =>
  page.locator('[data-entry]', { hasText: `Refund ${number}` }).first()
const approve = (page: Page, number: number): Locator =>
  entry(page, number).getByRole('button', { name: 'Approve' })

async function centerOf(locator: Locator): Promise<{ readonly x: number; readonly y: number }> {
  await locator.scrollIntoViewIfNeeded()
  const box = await locator.boundingBox()
  if (box === null) throw new Error('not shown')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const nine = Array.from({ length: 9 }, () => ({}))

describe('decisions in the inbox', () => {
  it.each(['A', 'R'])('are one for a held Shift+%s', async (key) => {
    const app = await openInbox(nine)
    const { page } = app
    await entry(page, 1).focus()
    await page.keyboard.down('Shift')
    for (let times = 0; times < 20; times++) await page.keyboard.down(key)
    await entry(page, 1).getByText('You can undo this').waitFor()
    await page.clock.fastForward(SETTLE_MS)
    // Still held, with the focus on the next one.
    await entry(page, 2).focus()
    for (let times = 0; times < 20; times++) await page.keyboard.down(key)
    await page.keyboard.up(key)
    await entry(page, 1).focus()
    // Presses of their own meet the same entry, which is decided.
    for (let times = 0; times < 5; times++) await page.keyboard.press(key)
    await page.keyboard.up('Shift')
    await page.clock.fastForward(UNDO_MS)
    await expect.poll(() => decided(app)).toEqual({ 1: key === 'A' ? 'approved' : 'rejected' })
    await page.clock.fastForward(60_000)
    expect(Object.keys(await decided(app))).toEqual(['1'])
  })

  it.each(['Enter', 'Space'])('are one for a held %s on the button', async (key) => {
    const app = await openInbox(nine)
    const { page } = app
    await approve(page, 2).focus()
    for (let times = 0; times < 20; times++) {
      await page.keyboard.down(key)
      if (times % 5 === 4) await page.keyboard.up(key)
      await page.clock.fastForward(200)
    }
    await page.clock.fastForward(UNDO_MS)
    await expect.poll(() => decided(app)).toEqual({ 2: 'approved' })
  })

  it('are one for a double and a triple click, which takes nothing back', async () => {
    const app = await openInbox(nine)
    const { page } = app
    const { x, y } = await centerOf(approve(page, 3))
    await page.mouse.click(x, y, { clickCount: 3 })
    await page.clock.fastForward(UNDO_MS)
    await expect.poll(() => decided(app)).toEqual({ 3: 'approved' })
    await page.clock.fastForward(60_000)
    await page.mouse.click(x, y, { clickCount: 2 })
    await page.clock.fastForward(UNDO_MS)
    expect(await decided(app)).toEqual({ 3: 'approved' })
  })

  it('never meet what came under the pointer, or into the place of an entry, a moment ago', async () => {
    const app = await openInbox([{}, {}, {}])
    const { page, board, ask } = app
    const first = await centerOf(approve(page, 1))
    await page.mouse.move(first.x, first.y)
    // A question comes above all approvals, and no time passes after that.
    const { id } = await board.add({ title: 'Which currency?' })
    await page.clock.pauseAt(Date.now() + 2_000)
    await board.hold(id, { reason: 'needs_input', message: 'Which?' })
    const question = page.getByRole('heading', { name: 'Which currency?' })
    await expect
      .poll(async () => {
        await page.clock.runFor(20)
        return question.count()
      })
      .toBe(1)
    for (let y = 150; y < 880; y += 15) await page.mouse.click(first.x, y)
    expect(await page.getByText('You can undo this').count()).toBe(0)
    // The browser tells of a move with a frame, which no clock of the page hastens, and a picture needs one.
    await page.screenshot()
    // Time enough for a hand that was on its way.
    await page.clock.runFor(400)
    expect(await approve(page, 1).getAttribute('aria-disabled')).toBe('true')
    await page.clock.runFor(SETTLE_MS)
    expect(await approve(page, 1).getAttribute('aria-disabled')).toBe('false')
    await page.clock.resume()
    expect(await decided(app)).toEqual({})

    // The same task asks again: that is another entry, which the focus is not on.
    await entry(page, 1).focus()
    await board.decide(app.ids[0] ?? '', { decision: 'rejected' })
    await entry(page, 1).getByText('Rejected by').waitFor()
    const again = await app.taskboard.agents.list(app.workspaceId)
    const task = await board.claim({ agentId: again[0]?.id ?? '', leaseMs: 60_000 })
    const fencingToken = task?.lease?.fencingToken ?? -1
    const asked = { fencingToken, action: 'refund', summary: 'Much more?', input: { cents: 999_999 } }
    const { approval } = await board.requestApproval(task?.id ?? '', asked)
    await page.getByText('Much more?').waitFor()
    await page.keyboard.press('Shift+A')
    await page.clock.fastForward(SETTLE_MS)
    await page.keyboard.press('Shift+A')
    await page.clock.fastForward(UNDO_MS)
    expect(
      (await app.taskboard.approvals.find({ accountId: app.accountId, workspaceIds: 'all' }, approval.id))
        .status,
    ).toBe('pending')
    expect(await ask('Refund 4', {})).toMatch(/./)
  })

  it('never meet what the page moved before the browser has drawn it', async () => {
    const app = await openInbox([{}])
    const { page } = app
    await page.clock.pauseAt(Date.now() + 2_000)
    await page.evaluate(`(() => {
      const button = document.querySelector('[data-decision=approved]')
      const news = Object.assign(document.createElement('p'), { textContent: 'News' })
      button.closest('.inbox').prepend(news)
      button.click()
      news.remove()
    })()`)
    // Nor does a key that is held down until it stays in its place.
    await approve(page, 1).focus()
    for (let times = 0; times < 10; times++) {
      await page.keyboard.down('Enter')
      await page.clock.runFor(SETTLE_MS)
    }
    await page.keyboard.up('Enter')
    await page.clock.resume()
    expect(await page.getByText('You can undo this').count()).toBe(0)
    await approve(page, 1).click()
    await page.clock.fastForward(UNDO_MS)
    await expect.poll(() => decided(app)).toEqual({ 1: 'approved' })
  })

  it('leave a marker that moves nothing, also when a colleague decides, until the pointer is elsewhere', async () => {
    const app = await openInbox([{}, {}, {}])
    const { page } = app
    const at = await centerOf(approve(page, 2))
    await page.mouse.move(at.x, at.y)
    const place = await entry(page, 3).boundingBox()
    const colleague = await app.newPage()
    await app.go('#/inbox', colleague)
    await approve(colleague, 2).click()
    await entry(colleague, 2).getByText('You can undo this').waitFor()
    await colleague.close({ runBeforeUnload: true })
    await entry(page, 2).getByText('Approved by ada@example.com').waitFor()
    expect(await entry(page, 2).getByRole('button').count()).toBe(0)
    expect(await entry(page, 3).boundingBox()).toEqual(place)
    await page.mouse.click(at.x, at.y)
    await page.clock.runFor(30_000)
    await entry(page, 2).getByText('Approved by ada@example.com').waitFor()
    expect(await entry(page, 3).boundingBox()).toEqual(place)
    expect(await decided(app)).toEqual({ 2: 'approved' })
    await expect(app.violations()).resolves.toEqual([])
    await page.locator('body').focus()
    await page.getByRole('heading', { name: 'Inbox' }).click()
    await page.clock.runFor(2_000)
    await entry(page, 2).waitFor({ state: 'detached' })
    expect(await page.locator('[data-entry]').count()).toBe(2)
  })

  it('can be taken back for five seconds, and are sent when the page is left', async () => {
    const app = await openInbox(nine)
    const { page } = app
    await entry(page, 1).focus()
    await page.keyboard.press('Shift+A')
    await page.clock.fastForward(SETTLE_MS)
    await entry(page, 1).getByRole('button', { name: 'Undo' }).click()
    await approve(page, 1).waitFor()
    await page.clock.fastForward(2 * UNDO_MS)
    expect(await decided(app)).toEqual({})

    for (const number of [3, 1, 2]) await approve(page, number).click()
    expect(await decided(app)).toEqual({})
    await page.reload()
    await expect.poll(() => decided(app)).toEqual({ 1: 'approved', 2: 'approved', 3: 'approved' })

    await page.clock.fastForward(SETTLE_MS)
    await entry(page, 4).getByRole('button', { name: 'Reject' }).click()
    await page.close()
    await expect.poll(async () => (await decided(app))[4]).toBe('rejected')
  })

  it('say so when a colleague was faster, and count for nothing', async () => {
    const app = await openInbox([{}, {}])
    const { page, board } = app
    await approve(page, 1).click()
    // Who has no name is shown by the id.
    const actor = { kind: 'user', id: 'member-7' } as const
    await board.decide(app.ids[0] ?? '', { decision: 'rejected', comment: 'Too much' }, { actor })
    await page.clock.fastForward(UNDO_MS)
    await page.getByRole('alert').getByText("Your decision on refund doesn't count.").waitFor()
    await entry(page, 1).getByText('Rejected by member-7').waitFor()
    expect(await decided(app)).toEqual({ 1: 'rejected' })
  })

  it.each([360, 1280])('need the whole input on the screen, at a width of %i', async (width) => {
    const mail = { to: 'all@example.com', body: 'Dear all,\n\nwe are closing.\n'.repeat(30), dry_run: false }
    const app = await openInbox([{ action: 'mail', input: mail }, {}], {
      browser: { viewport: { width, height: 640 } },
    })
    const { page } = app
    const more = entry(page, 1).getByRole('button', { name: /Show \d+ more lines to decide/ })
    await more.waitFor()
    expect(await approve(page, 1).getAttribute('aria-disabled')).toBe('true')
    expect(await entry(page, 1).getByText('dry_run').isVisible()).toBe(true)
    const { x, y } = await centerOf(approve(page, 1))
    await page.mouse.click(x, y)
    await entry(page, 1).focus()
    await page.keyboard.press('Shift+A')
    await more.waitFor({ state: 'detached' })
    await page.clock.fastForward(2 * UNDO_MS)
    expect(await decided(app)).toEqual({})
    const box = entry(page, 1).getByRole('group', { name: 'Exact input' })
    expect(await box.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true)
    expect(await entry(page, 1).locator('.input-text').innerText()).toContain(
      'Dear all,\n\nwe are closing.\n',
    )
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expect(app.violations()).resolves.toEqual([])
    // The text that appeared has moved the button, which the page may have noticed only now.
    const isReady = async (): Promise<boolean> => {
      await page.clock.fastForward(SETTLE_MS)
      return (await approve(page, 1).getAttribute('aria-disabled')) === 'false'
    }
    await expect.poll(isReady).toBe(true)
    await entry(page, 1).focus()
    await page.keyboard.press('Shift+A')
    await entry(page, 1).getByText('You can undo this').waitFor()
    await page.clock.fastForward(UNDO_MS)
    await expect.poll(() => decided(app)).toEqual({ 1: 'approved' })
  })
})

describe('the inbox', () => {
  it('is used by keyboard from the moment that it is shown, and the help says how', async () => {
    const app = await openInbox([{}, {}])
    const { page } = app
    await app.go('#/board')
    await page.getByRole('heading', { name: 'Board' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await approve(page, 2).waitFor()
    await page.keyboard.press('j')
    expect(await entry(page, 1).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('j')
    expect(await entry(page, 2).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('k')
    expect(await entry(page, 1).evaluate((element) => element.matches(':focus'))).toBe(true)
    // Also from the link that was clicked.
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await page.keyboard.press('k')
    expect(await entry(page, 2).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Inbox: move between entries').waitFor()
  })

  it('lies behind a task that is opened from it, and is at its place afterwards', async () => {
    const app = await openInbox(nine)
    const { page } = app
    const link = entry(page, 6).getByRole('link', { name: 'Refund 6' })
    await link.scrollIntoViewIfNeeded()
    const scrollTop = () => page.locator('#content').evaluate((element) => element.scrollTop)
    const before = await scrollTop()
    expect(before).toBeGreaterThan(200)
    await link.click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Refund 6' }).waitFor()
    expect(await page.locator('[data-column]').count()).toBe(0)
    expect(
      await page.getByRole('link', { name: /^Inbox/, includeHidden: true }).getAttribute('aria-current'),
    ).toBe('page')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await scrollTop()).toBe(before)
    expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true)
  })
})

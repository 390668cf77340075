import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '', login: 'host' })

/** By the page: after it a button that has just come can be pressed. */
const SETTLE_MS = 600

const entry = (page: Page, title: string) => page.locator('[data-entry]', { hasText: title }).first()

/** A person before the inbox, with two failures and two tasks whose budget is spent. */
async function openInbox() {
  const app = await stage.open({ isLoggedIn: false })
  const { board, page } = app
  const agent = await app.taskboard.agents.create(app.workspaceId, { name: 'Quill', type: 'money' })
  const claim = async (title: string, budget: { tokens: number } | null) => {
    const { id } = await board.add({ title, budget })
    const task = await board.claim({ agentId: agent.id, leaseMs: 60_000 })
    return { id, fencingToken: task?.lease?.fencingToken ?? -1 }
  }
  const ids: string[] = []
  for (const title of ['Failed 1', 'Failed 2']) {
    const { id, fencingToken } = await claim(title, null)
    await board.fail(id, { fencingToken, reason: 'The bank is closed.', retry: false })
    ids.push(id)
  }
  for (const title of ['Spent 1', 'Spent 2']) {
    const { id, fencingToken } = await claim(title, { tokens: 10 })
    await board.usage(id, { fencingToken, model: 'large', inputTokens: 11, outputTokens: 0 })
    ids.push(id)
  }
  await page.clock.install()
  await app.logIn()
  await app.go('#/inbox')
  await entry(page, 'Spent 2').getByRole('button', { name: 'Raise and release' }).waitFor()
  /** A button that stays in its place. What the page still reads may have moved it. */
  const settled = async (title: string, name: string) => {
    const button = entry(page, title).getByRole('button', { name })
    const isReady = async (): Promise<boolean> => {
      await page.clock.fastForward(SETTLE_MS)
      return (await button.getAttribute('aria-disabled')) === 'false'
    }
    await expect.poll(isReady).toBe(true)
    return button
  }
  return { ...app, ids, settled }
}

/** The tasks that wait no longer, by their numbers. */
async function released({ board, ids }: OpenedApp & { readonly ids: readonly string[] }) {
  const tasks = await Promise.all(ids.map((id) => board.get(id)))
  return tasks.flatMap(({ hold, title }) => (hold === null ? [title] : []))
}

describe('a release in the inbox', () => {
  it.each([
    ['Failed 1', 'Try again'],
    ['Spent 1', 'Release without raising'],
  ])('is one for a held Enter, which opens no task either: %s', async (title, name) => {
    const app = await openInbox()
    const { page } = app
    const button = await app.settled(title, name)
    await button.focus()
    for (let times = 0; times < 10; times++) await page.keyboard.down('Enter')
    await entry(page, title).getByText('Released').waitFor()
    for (let times = 0; times < 10; times++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await released(app)).toEqual([title])
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await entry(page, title).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor()
  })

  it.each([
    ['Failed 1', 'Try again'],
    ['Spent 1', 'Release without raising'],
    ['Spent 1', 'Raise and release'],
  ])('is never of what moved under the pointer a moment ago: %s, %s', async (title, name) => {
    const app = await openInbox()
    const { page, board } = app
    const button = await app.settled(title, name)
    const { id } = await board.add({ title: 'Which currency?' })
    await page.clock.pauseAt(Date.now() + 10_000)
    // A question comes above all other entries.
    await board.hold(id, { reason: 'needs_input', message: 'Which?' })
    const question = page.getByRole('heading', { name: 'Which currency?' })
    await expect
      .poll(async () => {
        await page.clock.runFor(20)
        return question.count()
      })
      .toBe(1)
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.evaluate((element) => (element as unknown as { click(): void }).click())
    await page.clock.runFor(100)
    expect(await released(app)).toEqual([])
    await page.clock.runFor(SETTLE_MS)
    await page.clock.resume()
    await button.click()
    await expect.poll(() => released(app)).toEqual([title])
  })
})

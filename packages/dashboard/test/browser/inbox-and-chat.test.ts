import { defineAgent } from '@taskboard/core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'
import { eachLogin } from '../setting.js'

const stage = useStage({ host: 'fetch handler', storage: 'memory', mountPath: '/kanban', login: 'host' })

async function claimNew(
  { board, taskboard, workspaceId }: OpenedApp,
  title: string,
  budget?: { tokens: number },
) {
  const [known] = await taskboard.agents.list(workspaceId)
  const agent = known ?? (await taskboard.agents.create(workspaceId, { name: 'Quill', type: 'writing' }))
  const { id } = await board.add({ title, ...(budget === undefined ? {} : { budget }) })
  const task = await board.claim({ agentId: agent.id, leaseMs: 60_000 })
  expect(task?.id).toBe(id)
  return { id, fencingToken: task?.lease?.fencingToken ?? -1 }
}

/** Two questions, two approvals, a failure and a spent budget, in this order. */
async function fill(app: OpenedApp) {
  const { board } = app
  for (const question of ['Which colour?', 'How much?']) {
    const { id, fencingToken } = await claimNew(app, `Asks: ${question}`)
    await board.ask(id, { fencingToken, question })
  }
  for (const order of [7, 8]) {
    const { id, fencingToken } = await claimNew(app, `Refund order ${order}`)
    const input = { order, cents: 1_900 }
    await board.requestApproval(id, { fencingToken, action: 'refund', summary: `Refund ${order}`, input })
  }
  const failed = await claimNew(app, 'Fetch the rates')
  await board.fail(failed.id, {
    fencingToken: failed.fencingToken,
    reason: 'The bank is closed.',
    retry: false,
  })
  const spent = await claimNew(app, 'Read the book', { tokens: 10 })
  await board.usage(spent.id, {
    fencingToken: spent.fencingToken,
    model: 'large',
    inputTokens: 11,
    outputTokens: 0,
  })
  return { failed: failed.id, spent: spent.id }
}

const badge = ({ page }: OpenedApp) => page.getByRole('link', { name: /^Inbox/ })
const titles = ({ page }: OpenedApp) => page.locator('[data-entry] h3').allTextContents()

describe('the inbox', () => {
  it('counts and shows what waits, oldest first, as it happens', async () => {
    const app = await stage.open()
    const { page } = app
    await app.go('#/inbox')
    await page.getByText('Your inbox is empty.').waitFor()
    await fill(app)
    await badge(app).getByText('6 waiting').waitFor()
    expect(await page.title()).toBe('(6) Taskboard')
    await page.getByText('The bank is closed.').waitFor()
    expect(await titles(app)).toEqual([
      'Asks: Which colour?',
      'Asks: How much?',
      'Refund order 7',
      'Refund order 8',
      'Fetch the rates',
      'Read the book',
    ])
    const input = page.getByRole('group', { name: 'Exact input' }).first()
    await input.waitFor()
    expect(await input.locator('dt').allTextContents()).toEqual(['order', 'cents'])
    expect(await input.locator('dd').allTextContents()).toEqual(['7', '1900'])
    await page.getByRole('button', { name: 'JSON' }).first().click()
    expect(await input.locator('pre').textContent()).toBe('{\n  "order": 7,\n  "cents": 1900\n}')
    await expect(app.violations()).resolves.toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(app.violations()).resolves.toEqual([])
  }, 20_000)

  it.each(eachLogin)(
    'handles each of them right there (login: %s)',
    async (login) => {
      const app = await stage.open({ login })
      const { page, board } = app
      const { failed, spent } = await fill(app)
      await app.go('#/inbox')
      await page.getByLabel('Your answer').first().fill('Green')
      await page.getByRole('button', { name: 'Answer' }).first().click()
      await badge(app).getByText('5 waiting').waitFor()
      const failure = page.getByRole('listitem').filter({ hasText: 'Fetch the rates' })
      await failure.getByRole('button', { name: 'Try again' }).click()
      await badge(app).getByText('4 waiting').waitFor()
      expect((await board.get(failed)).hold).toBeNull()
      const budget = page.getByRole('listitem').filter({ hasText: 'Read the book' })
      await budget.getByLabel('New token budget').fill('5000')
      await budget.getByRole('button', { name: 'Raise and release' }).click()
      await badge(app).getByText('3 waiting').waitFor()
      expect(await board.get(spent)).toMatchObject({ hold: null, budget: { tokens: 5_000 } })
    },
    20_000,
  )

  it('says in its place that something was handled elsewhere, and keeps what was typed', async () => {
    const app = await stage.open()
    const { page, board } = app
    const { failed } = await fill(app)
    await app.go('#/inbox')
    const answer = page.getByLabel('Your answer').first()
    await answer.fill('Gre')
    await board.release(failed)
    await page.getByText('The bank is closed.').waitFor({ state: 'detached' })
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Fetch the rates' })
      .getByText('Handled elsewhere')
      .waitFor()
    expect(await answer.inputValue()).toBe('Gre')
    await badge(app).getByText('5 waiting').waitFor()
  }, 20_000)

  it('counts to 99 and no further', async () => {
    const app = await stage.open()
    for (let index = 0; index < 101; index++) {
      const { id, fencingToken } = await claimNew(app, `Task ${index}`)
      await app.board.fail(id, { fencingToken, reason: 'no', retry: false })
    }
    await badge(app).getByText('99+ waiting').waitFor()
    expect(await app.page.title()).toBe('(99+) Taskboard')
    await app.go('#/inbox')
    await app.page.locator('[data-entry]').nth(100).waitFor()
    expect((await titles(app))[0]).toBe('Task 0')
  }, 20_000)
})

const talker = defineAgent({
  type: 'talker',
  run: () => '',
  chat: (message) => Promise.resolve(`**${message}** <img src=x onerror=alert(1)>`),
})

describe('the chat', () => {
  it('sends with Enter, shows the reply as text, and keeps the conversation in this tab', async () => {
    const app = await stage.open({ taskboard: { agents: [talker] } })
    const { page } = app
    await app.taskboard.agents.create(app.workspaceId, { name: 'Talker', type: 'talker' })
    await app.go('#/chat')
    const message = page.getByLabel('Message', { exact: true })
    await message.fill('Hello')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('you')
    expect(await message.inputValue()).toBe('Hello\nyou')
    await page.keyboard.press('Enter')
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await message.inputValue()).toBe('')
    expect(await page.locator('main img').count()).toBe(0)
    await expect(app.violations()).resolves.toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(app.violations()).resolves.toEqual([])
    await page.reload()
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    const other = await app.newPage()
    await app.go('#/chat', other)
    await other.getByText('Ask about the board').waitFor()
  }, 20_000)

  it('keeps the message when no agent answers, and says what to do', async () => {
    const app = await stage.open()
    const { page } = app
    await app.go('#/chat')
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('No chat agent in this workspace.').waitFor()
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Hello')
    await expect(app.violations()).resolves.toEqual([])
  }, 20_000)
})

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../../scripts/launch-browser.mjs'
import { accessibilityOf, openApp, type OpenedApp } from '../opened-app.js'

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '\u202Egnihtemos elbadaer\u202D',
  'z̷̛̗̦͍͕̀́̂̃̄̅̆̇̈a̸̧̛̗̘̙̜̝̞̟l̵̛̀́̂̃g̶o̷',
  'W'.repeat(90),
]

/** Unpacking a browser takes long on a busy machine. */
const PATIENCE_MS = 120_000
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
}, PATIENCE_MS)
afterAll(() => browser.close())

/** Fills everything that the pages show with texts that attack them. */
async function attack({ taskboard, workspaceId, accountId }: OpenedApp): Promise<void> {
  const board = taskboard.board(workspaceId)
  for (const [index, text] of hostile.entries()) {
    const agent = await taskboard.agents.create(workspaceId, {
      name: text,
      type: text.slice(0, 60),
      model: text,
      systemPrompt: text.repeat(100).slice(0, 10_000),
      capabilities: [text],
      tools: [text],
    })
    const task = await board.add({ title: text, type: text.slice(0, 60), assignedTo: agent.id })
    const claimed = await board.claim({ agentId: agent.id })
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    const used = { model: text, inputTokens: 1, outputTokens: 1, costUsd: 1 + index }
    await board.usage(task.id, { fencingToken, ...used })
    await board.schedules.create({ cron: '0 9 * * *', task: { title: text } })
    await taskboard.accounts.createWorkspace(accountId, { name: text })
    await taskboard.accounts.createKey({ accountId, name: text, scopes: ['tasks:read'] })
    await taskboard.webhooks.register(workspaceId, {
      url: `https://hooks.example/${encodeURIComponent(text)}`,
      events: ['task.failed'],
    })
  }
}

/** Each page, with what is there when it was loaded. */
const pages = [
  ['#/agents', /^<img/],
  ['#/analytics', /^<img/],
  ['#/settings/keys', /^<img/],
  ['#/settings/webhooks', /onerror/],
  ['#/settings/schedules', /^<img/],
  ['#/settings/workspaces', /^<img/],
  ['#/settings/members', 'ada@example.com'],
  ['#/settings/security', 'Second factor'],
  ['#/settings/usage', 'Professional'],
] as const

it.each([
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
] as const)(
  'shows hostile texts as texts, at $width pixels in the $colorScheme scheme',
  async ({ colorScheme, width }) => {
    const app = await openApp(browser, {}, { colorScheme, viewport: { width, height: 800 } })
    await attack(app)
    const { page } = app
    await app.logIn()
    for (const [hash, shown] of pages) {
      await app.go(hash)
      await page.getByRole('main').getByText(shown).first().waitFor()
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth > innerWidth || content.scrollWidth > content.clientWidth',
      )
      expect({ hash, overflow, found: await accessibilityOf(page) }).toEqual({
        hash,
        overflow: false,
        found: [],
      })
    }
    await app.go('#/agents')
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).first().click()
    await page.getByRole('dialog').getByText('System prompt').click()
    expect(await accessibilityOf(page)).toEqual([])
    expect(await page.locator('main img, main script, dialog img, dialog script').count()).toBe(0)
    expect(app.complaints).toEqual([])
    await app.close()
  },
)

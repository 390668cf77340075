import { agentFields } from '@taskboard/core/storage'
import { beforeAll, expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '/kanban', login: 'host' })
let app: OpenedApp
beforeAll(async () => {
  app = await stage.open()
}, 60_000)

const button = (name: string) => app.page.getByRole('button', { name })
const field = (label: string) => app.page.getByLabel(label, { exact: true })

async function expectAccessible(): Promise<void> {
  expect(await app.violations()).toEqual([])
}

it('creates an agent by keyboard, shows it, changes and pauses it, limits what it may cost, and deletes it', async () => {
  const { page } = app
  await app.go('#/agents')
  await page.getByText('No agents yet.').waitFor()
  await button('New agent').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name')
  await page.keyboard.type('Scout')
  await page.keyboard.press('Tab')
  await page.keyboard.type('research')
  const controls = page.getByRole('dialog').locator('input, textarea')
  // The buttons pause an agent.
  expect(await controls.count()).toBe(agentFields.fields.filter(({ name }) => name !== 'paused').length)
  await field('Tools').fill('web search, calculator')
  await field('System prompt').fill('You look things up.')
  await expectAccessible()
  await field('Name').press('Enter')

  const panel = page.getByRole('dialog', { name: 'Scout' })
  await panel.getByText('calculator').waitFor()
  expect(page.url()).toMatch(/#\/agents\/agent_/)
  await expectAccessible()
  await button('Pause').click()
  await panel.getByText('Paused', { exact: true }).waitFor()
  await button('Resume').click()
  await button('Change budget').click()
  await field('US dollars per month').fill('5')
  await button('Save').click()
  await panel.getByText('US$0.00 of US$5.00').waitFor()
  await button('Edit').click()
  await field('Type').fill('')
  await field('Type').fill('x'.repeat(64))
  await field('Name').fill('Scout the second')
  await button('Save').click()
  const renamed = page.getByRole('dialog', { name: 'Scout the second' })
  await renamed.waitFor()
  await renamed.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete agent?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No agents yet.').waitFor()
  expect(page.url()).toMatch(/#\/agents$/)
})

it('shows what an agent works on, costs and may spend, as it happens', async () => {
  const { page, taskboard, workspaceId } = app
  const board = taskboard.board(workspaceId)
  const agent = await taskboard.agents.create(workspaceId, { name: 'Quill', type: 'writing' })
  await app.go('#/agents')
  await page.reload()
  const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Quill' }) })
  await row.getByText('Offline').waitFor()
  await page.getByText('Live').waitFor()
  const { id } = await board.add({ title: 'Write the release notes', type: 'writing' })
  const claimed = await board.claim({ agentId: agent.id })
  const fencingToken = claimed?.lease?.fencingToken ?? 0
  await row.getByRole('link', { name: 'Write the release notes' }).waitFor()
  await row.getByText('Working').waitFor()
  await board.usage(id, {
    fencingToken,
    model: 'large',
    inputTokens: 1_000,
    outputTokens: 500,
    costUsd: 0.25,
  })
  await board.complete(id, { fencingToken, result: 'Done' })
  await row.getByText('No task right now').waitFor()
  await row.getByText('US$0.25').waitFor()
  await expectAccessible()
})

it('shows the figures of a period as numbers, plots and tables', async () => {
  const { page } = app
  await app.go('#/analytics')
  const chart = page.getByRole('img', { name: /^Tasks completed: 30 values, the highest is 1\./ })
  await chart.waitFor()
  expect(await chart.locator('canvas').count()).toBe(1)
  await page.getByText(/a day starts at 0[12]:00 in your time zone, Europe\/Berlin/).waitFor()
  await page.getByText('Table: Cost by day').click()
  const costs = page.getByRole('group', { name: 'Table: Cost by day' })
  await costs.getByRole('cell', { name: 'US$0.25' }).waitFor()
  expect(await costs.getByRole('row').count()).toBe(31)
  await page
    .getByRole('group', { name: 'Cost by agent' })
    .getByRole('row', { name: /Quill.*US\$0\.25/ })
    .waitFor()
  await expectAccessible()

  await button('7 days').click()
  await page.getByRole('img', { name: /^Tasks completed: 7 values/ }).waitFor()
  expect(page.url()).toMatch(/#\/analytics\?from=[\d-]+&to=[\d-]+&by=day$/)
  await field('Group by').selectOption('Month')
  await page.getByRole('img', { name: /^Tasks completed: [12] values/ }).waitFor()
  await field('First day').fill('2030-01-01')
  await page.getByText('The first day must be before the last day.').waitFor()
  await page.reload()
  await page.getByRole('img', { name: /^Tasks completed: [12] values/ }).waitFor()
})

it('draws the plots in every locale that a browser names', async () => {
  const page = await app.newPage()
  await page.addInitScript(
    "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })",
  )
  await page.reload()
  expect(await page.evaluate('navigator.language')).toBe('en-US@posix')
  await app.go('#/analytics', page)
  await page.getByRole('img', { name: /^Tasks completed: 30 values/ }).waitFor()
  await page.close()
})

it('draws the plots as wide as the window, and in the colours of its scheme', async () => {
  const { page } = app
  await page.setViewportSize({ width: 1400, height: 900 })
  await app.go('#/analytics?from=2026-01-01&to=2026-01-31&by=day')
  const place = page.getByRole('img', { name: /^Tasks completed/ })
  const canvas = place.locator('canvas')
  const widths = async () => [
    (await place.boundingBox())?.width ?? 0,
    (await canvas.boundingBox())?.width ?? 1,
  ]
  await expect.poll(async () => new Set((await widths()).map(Math.round)).size).toBe(1)
  const [wide = 0] = await widths()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(async () => new Set((await widths()).map(Math.round)).size).toBe(1)
  expect((await widths())[0]).toBeLessThan(wide)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  const pixels = async () => String(await page.evaluate('document.querySelector(".plot canvas").toDataURL()'))
  const light = await pixels()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(pixels).not.toBe(light)
  await expectAccessible()
})

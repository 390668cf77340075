import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followLink } from '@taskboard/kit/browser/follow-link'
import { launchBrowser } from '@taskboard/kit/browser/launch-browser'
import { fillPgliteDirectory } from '@taskboard/kit/postgres/migrated-pglite'
import { startServer, type ServerProcess } from './server-process.js'

const PATIENCE_MS = 120_000
const WAIT_MS = 30_000
const MOST_TABS = 80
/** How long a decision can be undone. */
const UNDO_MS = 5_000

const ownerOf = (server: ServerProcess) => {
  const [, email = '', password = ''] =
    /Owner: +(\S+) \/ (\S+) \(shown only here\)/.exec(server.output()) ?? []
  return { email, password }
}
const cardIn = (page: Page, column: 'todo' | 'doing' | 'done', title: string) =>
  page.locator(`[data-column=${column}] [data-task]`, { hasText: title })

/** Presses Tab until a control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    const focused = await page.evaluate<string>(
      `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()`,
    )
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}`)
}

interface Stage {
  /** Starts the program; `describeDashboard` ends it at last. */
  readonly start: (settings?: Readonly<Record<string, string>>) => Promise<ServerProcess>
  /** A browser of somebody else each time, and what went wrong in it. */
  readonly openPage: () => Promise<{ readonly page: Page; readonly faults: readonly string[] }>
}

/** The dashboard of an example server, used as people use it, against the real program on PGlite: at length, or a first look. */
export function describeDashboard(framework: string, main: URL, extent: 'whole' | 'first look'): void {
  describe(`the dashboard of the ${framework} server`, { timeout: PATIENCE_MS }, () => {
    let browser: Browser
    const servers: ServerProcess[] = []
    beforeAll(async () => {
      browser = await launchBrowser()
    }, PATIENCE_MS)
    afterAll(async () => {
      await browser.close()
      await Promise.all(servers.map((server) => server.kill()))
    })
    const stage: Stage = {
      async start(settings = {}) {
        const server = await startServer(main, settings)
        servers.push(server)
        return server
      },
      openPage: () => openPage(browser),
    }
    it('shows a newcomer, who opens the printed link, a task done', () => assertFirstMinute(stage))
    if (extent === 'first look') return
    it('takes somebody by keyboard alone from the login to a task that is approved and done', () =>
      assertKeyboardAlone(stage))
    it('completes a drag during which the server is killed and started again', () =>
      assertDragThroughKill(stage))
  })
}

async function openPage(browser: Browser): ReturnType<Stage['openPage']> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (said) => {
    if (said.text().includes('Content Security Policy')) faults.push(said.text())
  })
  return { page, faults }
}

async function assertFirstMinute({ start, openPage: open }: Stage): Promise<void> {
  const server = await start({ TASKBOARD_SAMPLES: 'on' })
  const { page, faults } = await open()
  await followLink(page, server.link)
  await cardIn(page, 'doing', 'Sample: pack the box for the fair').waitFor()
  await page.getByRole('navigation').getByText('1 waiting').waitFor()
  expect(page.url()).not.toContain('login')
  const { page: other } = await open()
  await other.goto(server.link)
  await other.getByRole('region', { name: 'Log in as' }).getByRole('button', { name: 'Log in' }).click()
  await other.getByLabel('Password').waitFor()
  expect(faults).toEqual([])
  await server.kill()
}

async function assertKeyboardAlone({ start, openPage: open }: Stage): Promise<void> {
  const server = await start()
  const { email, password } = ownerOf(server)
  const { page, faults } = await open()
  await page.goto(`${server.url}/dashboard`)
  await page.getByLabel('Email').waitFor()
  await tabTo(page, 'Email')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Board' }).waitFor()

  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'New task' }).waitFor()
  await page.keyboard.type('Prepare the party')
  await page.keyboard.press('Tab')
  await page.keyboard.type('! order the cake')
  await tabTo(page, 'Add task')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').getByText('1 waiting').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  // A button that has just appeared cannot be pressed yet.
  await page.locator('[data-decision=approved][aria-disabled=false]').first().waitFor()
  await tabTo(page, 'Approve')
  await page.clock.install()
  await page.keyboard.press('Enter')
  await page.getByText('You can undo this for 5 seconds.', { exact: true }).waitFor()
  await page.clock.fastForward(UNDO_MS)
  await page.getByRole('button', { name: 'Approve' }).first().waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await cardIn(page, 'done', 'Prepare the party').waitFor()
  expect(faults).toEqual([])
  await server.kill()
}

async function assertDragThroughKill({ start, openPage: open }: Stage): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'taskboard-drag-'))
  await fillPgliteDirectory(data)
  try {
    const settings = { TASKBOARD_DATA: data, TASKBOARD_AGENT: 'off' }
    const server = await start(settings)
    const port = new URL(server.url).port
    const { page, faults } = await open()
    await followLink(page, server.link)
    expect((await server.call('add', { title: 'Carried through' })).status).toBe(200)
    const card = cardIn(page, 'todo', 'Carried through')
    await card.waitFor()
    await card.hover()
    await page.mouse.down()
    const done = await page.locator('[data-column=done] .column-scroll').boundingBox()
    await page.mouse.move((done?.x ?? 0) + 40, (done?.y ?? 0) + 40, { steps: 5 })
    await server.kill()
    await page.mouse.move((done?.x ?? 0) + 60, (done?.y ?? 0) + 60, { steps: 3 })
    await page.mouse.up()
    await cardIn(page, 'done', 'Carried through').waitFor()
    await page.getByText('Offline. The board shows the last known state').waitFor()
    const again = await start({ ...settings, PORT: port })
    await page.locator('.connection-open').waitFor({ timeout: PATIENCE_MS / 2 })
    await expect
      .poll(async () => JSON.stringify((await again.call('done')).json), { timeout: WAIT_MS })
      .toContain('Carried through')
    await cardIn(page, 'done', 'Carried through').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(faults).toEqual([])
    await again.kill()
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

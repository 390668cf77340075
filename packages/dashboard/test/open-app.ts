import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import type { Browser, Page } from 'playwright-core'
import { buildApp } from '../scripts/build-app.mjs'
import { launchBrowser } from '../scripts/launch-browser.mjs'
import { taskboardDashboard } from '../src/index.js'
import { hosts } from './hosts.js'

const [{ serve: serveExpress }] = hosts as [(typeof hosts)[number]]
/** What takes longer is not there. */
const WAIT_MS = 15_000
const owner = { email: 'ada@example.com', password: 'correct horse battery' }
const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The application as it is now, and a browser. A test file has one. */
export interface Stage {
  readonly browser: Browser
  /** Serves a board of its own, and shows it to somebody who is logged in. */
  open(options?: OpenOptions): Promise<OpenedApp>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly taskboard?: Partial<TaskboardOptions>
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
}

export type OpenedApp = Awaited<ReturnType<typeof openApp>>

/** Builds the application into a folder of its own, and starts a browser. */
export async function openStage(): Promise<Stage> {
  const parent = await mkdtemp(join(tmpdir(), 'taskboard-dashboard-'))
  const folder = join(parent, 'app')
  const [browser] = await Promise.all([launchBrowser(), buildApp({ outDir: folder })])
  const opened: { close(): Promise<void> }[] = []
  return {
    browser,
    async open(options = {}) {
      const app = await openApp(browser, folder, options)
      opened.push(app)
      return app
    },
    async close() {
      await Promise.all(opened.map((app) => app.close()))
      await browser.close()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

async function accessibilityOf(page: Page): Promise<readonly string[]> {
  // In a world of its own, as the page's policy allows no scripts but its own.
  await page.evaluate(await axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    )
  })
}

async function openApp(browser: Browser, folder: string, options: OpenOptions) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    tokens: { secret: 's'.repeat(32) },
    secrets: { encryptionKey: new Uint8Array(32).fill(7) },
    ...options.taskboard,
  })
  const { account, workspace } = await taskboard.accounts.create({
    name: 'Acme',
    tier: 'professional',
    workspaceName: 'Main',
    owner,
  })
  const agent = await taskboard.agents.create(workspace.id, { name: 'Quill', type: 'writing' })
  await taskboard.start()
  const dashboard = taskboardDashboard(taskboard, { folder })
  const serve = (port?: number) =>
    serveExpress(taskboard, { mountPath: '', routes: [dashboard], ...(port === undefined ? {} : { port }) })
  let host = await serve()
  const { width = 1280, colorScheme = 'light' } = options
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(WAIT_MS)
  const faults: string[] = []

  /** Another tab of the same person. */
  async function newPage(address = `${host.url}/dashboard/`): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('dialog', (dialog) => faults.push(`a dialog: ${dialog.message()}`))
    page.on('console', (said) => {
      // Answers of 4xx are said, too: they are part of the tests.
      if (said.type() === 'error' && !said.text().startsWith('Failed to load resource'))
        faults.push(said.text())
    })
    await page.goto(address)
    return page
  }

  const page = await newPage(await dashboard.createLoginLink({ email: owner.email, baseUrl: host.url }))
  await page.getByRole('region', { name: 'Board' }).waitFor()

  return {
    taskboard,
    account,
    workspace,
    agent,
    board: taskboard.board(workspace.id),
    page,
    newPage,
    /** Shows a page by its hash. */
    async show(hash: string, on: Page = page): Promise<void> {
      await on.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    },
    /** What axe-core finds, and what went wrong in the browser. */
    async violations(on: Page = page): Promise<readonly string[]> {
      return [...(await accessibilityOf(on)), ...faults]
    },
    faults,
    /** Ends the server and all its connections. */
    stopServer: () => host.close(),
    /** Serves the same board at the same address again. */
    async startServer(): Promise<void> {
      host = await serve(Number(new URL(host.url).port))
    },
    async close() {
      await context.close()
      await host.close()
      await taskboard.close()
    },
  }
}

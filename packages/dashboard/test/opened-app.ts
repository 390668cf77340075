import { createHmac, randomBytes } from 'node:crypto'
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTaskboard, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { buildApp } from '../scripts/build-app.mjs'
import { launchBrowser } from '../scripts/launch-browser.mjs'
import { type Dashboard, type DashboardOptions, taskboardDashboard } from '../src/index.js'
import { hosts } from './hosts.js'

/** The application as it was built for a test file, and a browser for it. */
export interface Stage {
  readonly browser: Browser
  readonly folder: string
  close(): Promise<void>
}

/** A board with its dashboard, in a page of its own. */
export interface OpenedApp {
  readonly page: Page
  readonly taskboard: Taskboard
  readonly dashboard: Dashboard
  readonly accountId: string
  readonly workspaceId: string
  /** `http://127.0.0.1:<port>`, with the mount path. */
  readonly url: string
  /** What the browser complained about: errors of scripts, and violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  logIn(): Promise<void>
  /** Shows the page of a hash. */
  go(hash: string): Promise<void>
  /** @throws Error when the browser complained of anything */
  close(): Promise<void>
}

export const owner = { email: 'ada@example.com', password: 'correct horse battery' }

/** Builds the application, and starts a browser. */
export async function openStage(): Promise<Stage> {
  const parent = await mkdtemp(join(tmpdir(), 'taskboard-app-'))
  const folder = join(parent, 'app')
  const [browser] = await Promise.all([launchBrowser(), buildApp({ outDir: folder })])
  return {
    browser,
    folder,
    async close() {
      await browser.close()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** Serves a new board below `/kanban`, and opens a page that is not logged in. */
export async function openApp(
  { browser, folder }: Stage,
  settings: Partial<TaskboardOptions> = {},
  context: BrowserContextOptions = {},
  options: DashboardOptions = {},
): Promise<OpenedApp> {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    ...(settings.authenticate === undefined ? { tokens: { secret: randomBytes(32) } } : {}),
    secrets: { encryptionKey: randomBytes(32) },
    ...settings,
  })
  const { account, workspace } = await taskboard.accounts.create({
    name: 'Harbour & Co',
    tier: 'professional',
    workspaceName: 'Operations',
    owner,
  })
  await taskboard.start()
  const dashboard = taskboardDashboard(taskboard, { folder, ...options })
  const [express] = hosts
  if (express === undefined) throw new Error('there is no host')
  const host = await express.serve(taskboard, { mountPath: '/kanban', routes: [dashboard] })
  const opened = await browser.newContext({
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...context,
  })
  const page = await opened.newPage()
  const complaints = complaintsOf(page)
  page.setDefaultTimeout(10_000)
  return {
    page,
    taskboard,
    dashboard,
    accountId: account.id,
    workspaceId: workspace.id,
    url: host.url,
    complaints,
    async logIn() {
      await page.goto(await dashboard.createLoginLink({ email: owner.email, baseUrl: host.url }))
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
    },
    async go(hash) {
      await page.goto(`${host.url}/dashboard/${hash}`)
    },
    async close() {
      await opened.close()
      await host.close()
      await taskboard.close()
      if (complaints.length > 0) throw new Error(complaints.join('\n'))
    },
  }
}

function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    // The browser says so of each answer that refuses something.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  return complaints
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe-core finds wrong with what is shown. */
export async function accessibilityOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  return page.evaluate(
    `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' ')))`,
  )
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The code that an authenticator app shows now. */
export function oneTimePassword(secret: string, nowMs = Date.now()): string {
  const bits = Array.from(secret, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / STEP_MS)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

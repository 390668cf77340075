import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { serveBoard, type ServedBoard, type ServedBoardOptions } from './served-board.js'

/** A board with its dashboard below `/kanban`, in a page of its own. */
export interface OpenedApp extends ServedBoard {
  readonly page: Page
  readonly accountId: string
  /** What the browser complained about: errors of scripts, and violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  logIn(): Promise<void>
  /** Shows the page of a hash. */
  go(hash: string): Promise<void>
  /** @throws Error when the browser complained of anything */
  close(): Promise<void>
}

const WAIT_MS = 10_000

/** Serves a new board, and opens a page that is not logged in. */
export async function openApp(
  browser: Browser,
  options: ServedBoardOptions = {},
  context: BrowserContextOptions = {},
): Promise<OpenedApp> {
  const served = await serveBoard({ mountPath: '/kanban', ...options })
  const [account] = await served.taskboard.accounts.list()
  const opened = await browser.newContext({
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...context,
  })
  const page = await opened.newPage()
  const complaints = complaintsOf(page)
  page.setDefaultTimeout(WAIT_MS)
  return {
    ...served,
    page,
    accountId: account?.id ?? '',
    complaints,
    async logIn() {
      await page.goto(await served.link())
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
    },
    async go(hash) {
      await page.goto(`${served.url}/dashboard/${hash}`)
    },
    async close() {
      await opened.close()
      await served.close()
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

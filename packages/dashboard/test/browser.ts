import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchBrowser } from '@taskboard/kit/browser/launch-browser'

/** Starting a browser, and unpacking it once, can take long on a busy machine. */
const PATIENCE_MS = 120_000
/** What takes longer is not there. */
const WAIT_MS = 15_000

/** A tab of a person's browser. */
export interface Tab {
  readonly page: Page
  /** What the browser complains about is expected from now on, where it matches. Everything else fails the test. */
  expectProblem(expected: RegExp): void
}

/** The cookies and the storage of one person. */
export interface Person {
  readonly context: BrowserContext
  openTab(): Promise<Tab>
  /** Fails the test. */
  note(problem: string): void
}

export interface TestBrowser {
  /** A person with an empty browser. */
  person(options?: BrowserContextOptions): Promise<Person>
  /** Ends something with the test, or with the file if it began before its tests; what began last ends first. */
  atEnd(close: () => Promise<unknown>): void
}

/**
 * A browser for the tests of a file. After each test it checks that no page had an error or a dialog, no console a complaint and no policy
 * a violation, except those that the test expects.
 */
export function useBrowser(): TestBrowser {
  let browser: Browser
  const ofFile: (() => Promise<unknown>)[] = []
  const ofTest: (() => Promise<unknown>)[] = []
  let closing = ofFile
  const problems: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  }, PATIENCE_MS)
  beforeEach(() => {
    closing = ofTest
  })
  afterEach(async () => {
    closing = ofFile
    await closeAll(ofTest)
    expect(problems.splice(0)).toEqual([])
  }, PATIENCE_MS)
  afterAll(async () => {
    await closeAll(ofFile)
    await browser.close()
  }, PATIENCE_MS)

  return {
    atEnd: (close) => void closing.push(close),
    async person(options = {}) {
      const context = await browser.newContext({
        locale: 'en-GB',
        reducedMotion: 'reduce',
        timezoneId: 'Europe/Berlin',
        ...options,
      })
      context.setDefaultTimeout(WAIT_MS)
      closing.push(() => context.close())
      return {
        context,
        openTab: () => openTab(context, problems),
        note: (problem) => void problems.push(problem),
      }
    },
  }
}

async function openTab(context: BrowserContext, problems: string[]): Promise<Tab> {
  const expected: RegExp[] = []
  const note = (problem: string): void => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  const page = await context.newPage()
  page.on('pageerror', (error) => note(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (isProblem(message)) note(`console: ${message.text()} (${message.location().url})`)
  })
  return { page, expectProblem: (pattern) => void expected.push(pattern) }
}

/** What Chromium says when a page closes a socket that it has just opened, as after a change of the workspace. */
const CLOSED_EARLY = /WebSocket is closed before the connection is established/

/** Chromium reports violations of a policy as errors of the console. */
function isProblem(message: ConsoleMessage): boolean {
  return (message.type() === 'error' || message.type() === 'warning') && !CLOSED_EARLY.test(message.text())
}

async function closeAll(closing: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close()
}

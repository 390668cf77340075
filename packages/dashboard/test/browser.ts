import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launchBrowser } from '../scripts/launch-browser.mjs'

/** Starting a browser, and unpacking it once, can take long on a busy machine. */
const PATIENCE_MS = 120_000

/** A tab of a person's browser. */
export interface Tab {
  readonly page: Page
  /** What the browser complains about is expected from now on, where it matches. Everything else fails the test. */
  expectProblem(expected: RegExp): void
}

/** The cookies and the storage of one person. */
export interface Person {
  openTab(): Promise<Tab>
}

export interface TestBrowser {
  /** A person with an empty browser, which the end of the test closes. */
  person(options?: BrowserContextOptions): Promise<Person>
}

/**
 * A browser for the tests of a file. After each test it checks that no page had an error, no console a complaint and no policy a violation,
 * except those that the test expects.
 */
export function useBrowser(): TestBrowser {
  let browser: Browser
  const closing: (() => Promise<void>)[] = []
  const problems: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  }, PATIENCE_MS)
  afterAll(() => browser.close(), PATIENCE_MS)
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()))
    expect(problems.splice(0)).toEqual([])
  }, PATIENCE_MS)

  return {
    async person(options = {}) {
      const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options })
      closing.push(() => context.close())
      return {
        async openTab() {
          const expected: RegExp[] = []
          const note = (problem: string): void => {
            if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem)
          }
          const page = await context.newPage()
          page.on('pageerror', (error) => note(`error: ${error.message}`))
          page.on('console', (message) => {
            if (isProblem(message)) note(`console: ${message.text()} (${message.location().url})`)
          })
          return { page, expectProblem: (pattern) => void expected.push(pattern) }
        },
      }
    },
  }
}

/** Chromium reports violations of a policy as errors of the console. */
function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning'
}

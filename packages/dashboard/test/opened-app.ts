import { followLink } from '@taskboard/kit/browser/follow-link'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityOf } from './accessibility.js'
import { type Person, type Tab, useBrowser } from './browser.js'
import { MEMBER, serveBoard, type ServedBoard, type ServedBoardOptions } from './served-board.js'
import { type Setting, settingFor } from './setting.js'

/** What a test file has: a browser, and boards on the setting that the file chose. */
export interface Stage {
  readonly setting: Setting
  /** A person with an empty browser. */
  person(options?: BrowserContextOptions): Promise<Person>
  /** Serves a new board. What the options say holds whatever the setting. */
  serve(options?: ServedBoardOptions): Promise<ServedBoard>
  /** Serves a new board, and shows it to a person who is logged in. */
  open(options?: OpenOptions): Promise<OpenedApp>
}

export interface OpenOptions extends ServedBoardOptions {
  readonly browser?: BrowserContextOptions
  /** Default true. */
  readonly isLoggedIn?: boolean
}

/** A board in a page of somebody's browser. */
export interface OpenedApp extends ServedBoard {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complains about is expected from now on, where it matches. */
  expectProblem(expected: RegExp): void
  /** Another tab of the same person. */
  newPage(): Promise<Page>
  logIn(): Promise<void>
  /** Shows the page of a hash. */
  go(hash: string, on?: Page): Promise<void>
  /** What axe-core finds wrong with what is shown. */
  violations(on?: Page): Promise<readonly string[]>
}

/** A browser for the tests of a file, and boards that end with the test or with the file. */
export function useStage(chosen: Setting): Stage {
  const browser = useBrowser()
  const setting = settingFor(chosen)
  async function serve(options: ServedBoardOptions = {}): Promise<ServedBoard> {
    const served = await serveBoard({ ...setting, ...options })
    browser.atEnd(() => served.close())
    return served
  }
  return {
    setting,
    serve,
    person: (options) => browser.person(options),
    async open({ browser: browserOptions, isLoggedIn = true, ...options } = {}) {
      const served = await serve(options)
      const person = await browser.person({ viewport: { width: 1280, height: 900 }, ...browserOptions })
      const app = await openApp(served, person, options.login ?? setting.login)
      if (isLoggedIn) await app.logIn()
      return app
    },
  }
}

async function openApp(served: ServedBoard, person: Person, login: Setting['login']): Promise<OpenedApp> {
  const { url } = served
  const { context } = person
  /** A page of the application asks nothing of other servers; answers that refuse something are part of the tests. */
  async function openTab(): Promise<Tab> {
    const tab = await person.openTab()
    tab.expectProblem(/^console: Failed to load resource/)
    tab.page.on('request', (request) => assertOwn(request.url()))
    tab.page.on('websocket', (socket) => assertOwn(socket.url().replace(/^ws/, 'http')))
    return tab
  }
  function assertOwn(address: string): void {
    const isOwn = new URL(address).origin === new URL(url).origin || address.startsWith('data:')
    if (!isOwn) person.note(`request: ${address}`)
  }
  const tab = await openTab()
  const { page } = tab
  return {
    ...served,
    page,
    context,
    expectProblem: (expected) => tab.expectProblem(expected),
    async newPage() {
      const { page: another } = await openTab()
      await another.goto(`${url}/dashboard/`)
      return another
    },
    async logIn() {
      if (login === 'host') await context.addCookies([{ name: 'member', value: MEMBER, url }])
      if (login !== 'host') return followLink(page, await served.link())
      await page.goto(`${url}/dashboard/`)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
    },
    async go(hash, on = page) {
      await on.goto(`${url}/dashboard/${hash}`)
    },
    violations: (on = page) => accessibilityOf(on),
  }
}

import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { useBrowser } from '../browser.js'
import { serveBoard, type ServedBoard, type ServedBoardOptions } from '../served-board.js'

let served: ServedBoard | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})
// After that, as its pages are closed first then: they would say that the server is gone.
const browser = useBrowser()

async function serve(options: ServedBoardOptions = {}): Promise<ServedBoard> {
  served = await serveBoard(options)
  await served.board.add({ title: 'Compare the offers' })
  return served
}

const assertBoard = (page: Page): Promise<void> => page.getByText('Compare the offers').waitFor()

describe('a login in a browser', { timeout: 60_000 }, () => {
  it.each([
    { host: 'Express', storage: 'memory', mountPath: '' },
    { host: 'Express', storage: 'PGlite', mountPath: '/kanban' },
    { host: 'Fastify', storage: 'memory', mountPath: '/deep/kanban' },
    { host: 'the fetch handler', storage: 'memory', mountPath: '' },
  ] as const)('by a link shows the board, and lasts ($host, $storage, "$mountPath")', async (options) => {
    const { link } = await serve(options)
    const { page } = await (await browser.person()).openTab()
    await page.goto(await link())
    await assertBoard(page)
    expect(page.url()).not.toContain('login')
    await page.reload()
    await assertBoard(page)
    expect(await page.evaluate('document.cookie')).toBe('')
    const [cookie] = await page.context().cookies(`${served?.url}/dashboard/session`)
    expect(cookie).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: `${options.mountPath}/dashboard/session`,
    })
  })

  it('by a link works for the first who opens it', async () => {
    const { link } = await serve()
    const address = await link()
    const [first, second] = [await browser.person(), await browser.person()]
    const tab = await first.openTab()
    await tab.page.goto(address)
    await assertBoard(tab.page)
    const late = await second.openTab()
    late.expectProblem(/401/)
    await late.page.goto(address)
    await late.page.locator('input[type=password]').waitFor()
    expect(await late.page.getByText('Compare the offers').count()).toBe(0)
  })

  it('by password holds in a second tab, and when both tabs refresh at the same moment', async () => {
    const { url, owner } = await serve()
    const person = await browser.person()
    const { page } = await person.openTab()
    await page.goto(`${url}/dashboard`)
    await page.locator('input[type=email]').fill(owner.email)
    await page.locator('input[type=password]').fill(owner.password)
    await page.keyboard.press('Enter')
    await assertBoard(page)
    const second = await person.openTab()
    await Promise.all([second.page.goto(`${url}/dashboard/`), page.reload()])
    await Promise.all([page, second.page].map(assertBoard))
  })

  it('of the host is enough, where the host has one', async () => {
    const { url } = await serve({ login: 'host', dashboard: { loginUrl: '/login' } })
    const { page } = await (await browser.person()).openTab()
    await page.goto(`${url}/dashboard/config`)
    await page.evaluate("document.cookie = 'member=the-owner; path=/'")
    await page.goto(`${url}/dashboard/`)
    await assertBoard(page)
  })
})

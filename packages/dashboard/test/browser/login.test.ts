import { followLink } from '@taskboard/kit/browser/follow-link'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useStage } from '../opened-app.js'
import { MEMBER, type ServedBoard, type ServedBoardOptions } from '../served-board.js'
import { settingsFor } from '../setting.js'

const stage = useStage({ host: 'Fastify', storage: 'memory', mountPath: '/deep/kanban', login: 'taskboard' })

async function serve(options: ServedBoardOptions = {}): Promise<ServedBoard> {
  const served = await stage.serve({ login: 'taskboard', ...options })
  await served.board.add({ title: 'Compare the offers' })
  return served
}

const assertBoard = (page: Page): Promise<void> => page.getByText('Compare the offers').waitFor()

describe('a login in a browser', { timeout: 60_000 }, () => {
  const login = 'taskboard'
  const settings = settingsFor(
    [
      { host: 'Express', storage: 'memory', mountPath: '', login },
      { host: 'Express', storage: 'PGlite', mountPath: '/kanban', login },
      { host: 'Fastify', storage: 'memory', mountPath: '/deep/kanban', login },
      { host: 'fetch handler', storage: 'memory', mountPath: '', login },
    ],
    { login },
  )
  it.each(settings)(
    'by a link shows the board, and lasts ($host, $storage, "$mountPath")',
    async (options) => {
      const { link, url } = await serve(options)
      const { page } = await (await stage.person()).openTab()
      await followLink(page, await link())
      await assertBoard(page)
      expect(page.url()).not.toContain('login')
      await page.reload()
      await assertBoard(page)
      expect(await page.evaluate('document.cookie')).toBe('')
      const [cookie] = await page.context().cookies(`${url}/dashboard/session`)
      expect(cookie).toMatchObject({
        httpOnly: true,
        sameSite: 'Strict',
        path: `${options.mountPath}/dashboard/session`,
      })
    },
  )

  it('by a link works for the first who opens it', async () => {
    const { link } = await serve()
    const address = await link()
    const [first, second] = [await stage.person(), await stage.person()]
    const tab = await first.openTab()
    await followLink(tab.page, address)
    await assertBoard(tab.page)
    const late = await second.openTab()
    late.expectProblem(/401/)
    await late.page.goto(address)
    await late.page.getByRole('region').getByRole('button', { name: 'Log in' }).click()
    await late.page.getByText('The login link was used before').waitFor()
    await late.page.locator('input[type=password]').waitFor()
    expect(await late.page.getByText('Compare the offers').count()).toBe(0)
  })

  it('by a link asks before its code is used, and leaves it to somebody else when it is declined', async () => {
    const app = await stage.open({ login, isLoggedIn: false })
    const { page, url } = app
    await app.board.add({ title: 'Compare the offers' })
    const sent: string[] = []
    page.on('request', (request) => void sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const address = await app.link()
    // As a mail server that looks at each link, or a chat that shows a preview.
    expect((await fetch(address)).status).toBe(200)
    await page.goto(address)
    const question = page.getByRole('region', { name: `Log in as ${app.owner.email} to Acme?` })
    await question.waitFor()
    expect(page.url()).not.toContain('login=')
    expect(await app.violations()).toEqual([])
    await question.getByRole('button', { name: 'Not me' }).click()
    await page.getByLabel('Password').waitFor()
    expect(await question.count()).toBe(0)
    const code = `POST ${new URL(url).pathname.replace(/\/$/, '')}/dashboard/session/code`
    expect(sent).toContain(`${code}/show`)
    expect(sent).not.toContain(code)
    expect(await page.context().cookies(`${url}/dashboard/session`)).toEqual([])

    const tab = await (await stage.person()).openTab()
    await followLink(tab.page, address)
    await assertBoard(tab.page)
  })

  it('by password holds in a second tab, and when both tabs refresh at the same moment', async () => {
    const { url, owner } = await serve()
    const person = await stage.person()
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
    const { page } = await (await stage.person()).openTab()
    await page.goto(`${url}/dashboard/config`)
    await page.evaluate(`document.cookie = 'member=${MEMBER}; path=/'`)
    await page.goto(`${url}/dashboard/`)
    await assertBoard(page)
  })
})

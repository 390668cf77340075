import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useStage } from '../opened-app.js'
import { eachLogin } from '../setting.js'

const POLL = { timeout: 10_000 }

const stage = useStage({ host: 'Fastify', storage: 'PGlite', mountPath: '/deep/kanban', login: 'host' })

const card = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const column = (page: Page, name: 'To do' | 'Doing' | 'Done') => page.locator(`[data-column=${keys[name]}]`)
const keys = { 'To do': 'todo', Doing: 'doing', Done: 'done' } as const
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

/** The titles of a column, from top to bottom. */
const titlesIn = (page: Page, name: keyof typeof keys) =>
  column(page, name).locator('[data-card]').allTextContents()

async function shownIn(page: Page, name: keyof typeof keys, title: string): Promise<void> {
  await column(page, name).getByRole('link', { name: title, exact: true }).waitFor()
}

describe('the board', () => {
  it.each(eachLogin)(
    'shows TODO in the order of pickup, and moves a card that is dragged, for everybody who looks (login: %s)',
    async (login) => {
      const app = await stage.open({ login })
      await app.board.add({ title: 'Low', priority: 'low' })
      await app.board.add({ title: 'Urgent', priority: 'urgent' })
      await app.board.add({ title: 'High', priority: 'high' })
      const other = await app.newPage()
      await shownIn(app.page, 'To do', 'Low')
      await shownIn(other, 'To do', 'Low')
      await expect.poll(() => titlesIn(app.page, 'To do')).toEqual(['Urgent', 'High', 'Low'])

      await card(app.page, 'High')
        .locator('xpath=ancestor::li[@data-task]')
        .dragTo(column(app.page, 'Done').locator('.column-scroll'))
      await shownIn(app.page, 'Done', 'High')
      await shownIn(other, 'Done', 'High')
      await expect
        .poll(async () => (await app.board.list('DONE')).tasks.map(({ title }) => title))
        .toEqual(['High'])
      expect(await titlesIn(other, 'To do')).toEqual(['Urgent', 'Low'])
    },
  )

  it('works by keyboard alone: arrows, the menu, a new task, the search and the help', async () => {
    const app = await stage.open()
    await app.board.add({ title: 'First', priority: 'urgent' })
    await app.board.add({ title: 'Second' })
    const { page } = app
    await shownIn(page, 'To do', 'Second')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('First')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('Second')
    await page.keyboard.press('m')
    await page.getByRole('dialog', { name: 'Move to …' }).waitFor()
    expect(await focused(page)).toBe('Doing')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await shownIn(page, 'Done', 'Second')
    await page.getByText('Moved Second to Done.').waitFor()

    await page.keyboard.press('n')
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Made by')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.type(' keyboard')
    await page.keyboard.press('Enter')
    await shownIn(page, 'To do', 'Made by keyboard')

    await page.keyboard.press('/')
    await page.locator('#board-search:focus').waitFor()
    await page.keyboard.type('keyb')
    await expect.poll(() => titlesIn(page, 'To do')).toEqual(['Made by keyboard'])
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await shownIn(page, 'To do', 'First')

    await card(page, 'First').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).toBe('Second')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Second')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('heading', { name: 'Second' }).waitFor()
  })

  it('shows the whole of a card, and narrows by what it shows', async () => {
    const app = await stage.open()
    const { page, board } = app
    const parent = await board.add({
      title: 'Whole',
      priority: 'high',
      type: 'writing',
      tags: ['docs', 'launch'],
      dueDate: Date.now() - 3_600_000,
    })
    await board.add({ title: 'Part', parentId: parent.id })
    await board.add({ title: 'Other' })
    const whole = page.locator('[data-task]', { has: card(page, 'Whole') })
    await whole.getByText('0 of 1 subtasks').waitFor()
    for (const text of ['High', 'writing', 'docs', 'launch'])
      await whole.getByText(text, { exact: true }).waitFor()
    await whole.getByText('Overdue:').waitFor()

    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Tag').fill('launch')
    await page.keyboard.press('Enter')
    await expect.poll(() => titlesIn(page, 'To do')).toEqual(['Whole'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(async () => (await titlesIn(page, 'To do')).length).toBe(3)
    await page.getByLabel('Priority').selectOption('urgent')
    await column(page, 'To do').getByText('No task matches the filters.').waitFor()
    expect((await app.violations()).join('\n')).toBe('')
  })

  it('pages a long column, and draws only the cards near the screen', async () => {
    const app = await stage.open()
    const { page, board } = app
    await board.addAll(Array.from({ length: 450 }, (_, index) => ({ title: `Task ${index}` })))
    await page.reload()
    await column(page, 'To do').getByText('100+').waitFor()
    await expect
      .poll(async () => {
        await column(page, 'To do')
          .locator('.column-scroll')
          .evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight))
        return column(page, 'To do').locator('.count').textContent()
      }, POLL)
      .toBe('450')
    await expect.poll(() => page.locator('[data-task]').count(), POLL).toBeLessThan(120)
  })

  it('says that it is offline, and catches up by itself', async () => {
    const app = await stage.open()
    const { page, board } = app
    await board.add({ title: 'Before' })
    await shownIn(page, 'To do', 'Before')
    app.expectProblem(/WebSocket connection|ERR_CONNECTION_REFUSED/)
    await app.stopServer()
    await page.getByText('Offline. The board shows the last known state').waitFor()
    const { id } = await board.add({ title: 'Meanwhile' })
    await board.move(id, 'DONE')
    await app.startServer()
    await shownIn(page, 'Done', 'Meanwhile')
    await page.locator('.connection-open').waitFor()
    expect(await titlesIn(page, 'To do')).toEqual(['Before'])
  })

  it('puts a card back when the server refuses the move, and says why', async () => {
    const app = await stage.open()
    const { page, board } = app
    const { id } = await board.add({ title: 'Gone' })
    await shownIn(page, 'To do', 'Gone')
    // The page hears of nothing more, as when somebody else deletes the task at this moment.
    await page.route('**/v2/tasks/*/move', async (route) => {
      await route.fulfill({
        status: 409,
        json: {
          error: {
            code: 'CONFLICT',
            message: 'another change came first',
            request_id: 'req_1',
            timestamp: '',
            details: {},
          },
        },
      })
    })
    await card(page, 'Gone').focus()
    await page.keyboard.press('m')
    await page.getByRole('dialog', { name: 'Move to …' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Gone was not moved. Another change came first.').waitFor()
    await shownIn(page, 'To do', 'Gone')
    await page.unroute('**/v2/tasks/*/move')
    await page.getByRole('button', { name: 'Try again' }).click()
    await shownIn(page, 'Doing', 'Gone')
    expect((await board.get(id)).column).toBe('DOING')
  })
})

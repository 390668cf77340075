import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '', login: 'host' })

async function open(options: OpenOptions = {}) {
  const app = await stage.open(options)
  const agent = await app.taskboard.agents.create(app.workspaceId, { name: 'Quill', type: 'writing' })
  return { ...app, agent }
}

const columnOf = async ({ board }: OpenedApp, id: string) => (await board.get(id)).column
const column = (page: Page, name: string) => page.locator(`[data-column=${name}]`)
const card = (page: Page, title: string) =>
  page.locator('[data-task]', { has: page.getByRole('link', { name: title, exact: true }) })
const notice = (page: Page, text: string) => page.locator('.notice', { hasText: text })
const question = (page: Page) => page.getByRole('dialog', { name: /^Move to .*\?$/ })

async function drag(page: Page, title: string, to: string): Promise<void> {
  await card(page, title).dragTo(column(page, to).locator('.column-scroll'))
}

describe('a move', () => {
  it('says what happened, and leads back', async () => {
    const app = await open()
    const { page, board } = app
    const { id } = await board.add({ title: 'Plan' })
    await card(page, 'Plan').waitFor()
    await drag(page, 'Plan', 'done')
    await notice(page, 'Moved Plan to Done.').getByRole('button', { name: 'Undo' }).click()
    await notice(page, 'Moved Plan to To do.').waitFor()
    await column(page, 'todo').getByText('Plan').waitFor()
    expect(await columnOf(app, id)).toBe('TODO')
  })

  it('is not taken back from an agent that has gone on with the task', async () => {
    const app = await open()
    const { page, board, agent } = app
    const { id } = await board.add({ title: 'Plan' })
    await board.move(id, 'DONE')
    await card(page, 'Plan').waitFor()
    await drag(page, 'Plan', 'todo')
    await notice(page, 'Moved Plan to To do.').waitFor()
    await board.claim({ agentId: agent.id })
    await page.getByRole('button', { name: 'Undo' }).click()
    await notice(page, 'Plan has changed since. It was not moved back.').waitFor()
    expect((await board.get(id)).lease?.agentId).toBe(agent.id)
  })

  it('asks before it stops a run, and says that the run is not resumed', async () => {
    const app = await open()
    const { page, board, agent } = app
    const { id } = await board.add({ title: 'Plan' })
    await board.claim({ agentId: agent.id, leaseMs: 600_000 })
    await column(page, 'doing').getByText('Plan').waitFor()
    await drag(page, 'Plan', 'done')
    await question(page).getByText('Quill is working on Plan.').waitFor()
    await expect(app.violations()).resolves.toEqual([])
    await question(page).getByRole('button', { name: 'Cancel' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect((await board.get(id)).lease).not.toBeNull()
    await drag(page, 'Plan', 'done')
    await question(page).getByRole('button', { name: 'Move', exact: true }).click()
    await notice(page, 'Moved Plan to Done.').getByRole('button', { name: 'Undo' }).click()
    await notice(page, 'Moved Plan to To do. The stopped run is not resumed.').waitFor()
    expect(await columnOf(app, id)).toBe('TODO')
  })

  it('asks before it finishes a task with open subtasks, on the board and in the panel', async () => {
    const app = await open()
    const { page, board } = app
    const { id } = await board.add({ title: 'Move house' })
    const part = await board.add({ title: 'Pack', parentId: id })
    await board.add({ title: 'Clean', parentId: id })
    await card(page, 'Move house').waitFor()
    await drag(page, 'Move house', 'done')
    await question(page).getByText('Move house has 2 subtasks that are not done.').waitFor()
    await page.keyboard.press('Escape')
    await question(page).waitFor({ state: 'detached' })
    expect(await columnOf(app, id)).toBe('TODO')
    await board.move(part.id, 'DONE')
    await app.go(`#/tasks/${id}`)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('dialog', { name: 'Move to …' }).getByRole('button', { name: 'Done' }).click()
    await question(page).getByText('Move house has 1 subtask that is not done.').waitFor()
    await question(page).getByRole('button', { name: 'Move', exact: true }).click()
    await notice(page, 'Moved Move house to Done.').waitFor()
    expect(await columnOf(app, id)).toBe('DONE')
  })

  it('asks before it deletes a result, and does not promise to bring back a result or a hold', async () => {
    const app = await open()
    const { page, board, agent } = app
    const { id } = await board.add({ title: 'Plan' })
    const claimed = await board.claim({ agentId: agent.id })
    await board.complete(id, { fencingToken: claimed?.lease?.fencingToken ?? -1, result: 'Planned' })
    await column(page, 'done').getByText('Plan').waitFor()
    await drag(page, 'Plan', 'todo')
    await question(page).getByText('Plan has a result. The move deletes it.').waitFor()
    await question(page).getByRole('button', { name: 'Move', exact: true }).click()
    await notice(page, 'Moved Plan to To do.').waitFor()
    await board.hold(id, { reason: 'needs_input', message: 'How?' })
    await column(page, 'todo').getByText('How?').waitFor()
    await drag(page, 'Plan', 'done')
    await notice(page, 'Moved Plan to Done. It is no longer paused: Question.').waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('by a person to Doing shows no agent at work', async () => {
    const app = await open()
    const { page, board, agent } = app
    const { id } = await board.add({ title: 'Plan', assignedTo: agent.id })
    await card(page, 'Plan').waitFor()
    await drag(page, 'Plan', 'doing')
    await notice(page, 'Moved Plan to Doing.').waitFor()
    const moved = column(page, 'doing').locator('[data-task]')
    await moved.getByText('member:ada').waitFor()
    expect(await moved.getByRole('progressbar').count()).toBe(0)
    await app.go(`#/tasks/${id}`)
    const panel = page.getByRole('dialog')
    await panel.getByText('Moved here by member:ada. No agent is working on it.').waitFor()
    expect(await panel.getByText('In progress').count()).toBe(0)
    expect(await panel.getByRole('heading', { name: 'Attempts' }).count()).toBe(0)
    await app.go('#/agents')
    await page.getByText('No task right now').waitFor()
    await board.move(id, 'TODO')
    await board.claim({ agentId: agent.id, leaseMs: 600_000 })
    await page.locator('.works-on').getByText('Plan').waitFor()
  })
})

describe('a task in To do', () => {
  it('says why nobody is working on it, and its place only when it has one', async () => {
    const app = await open()
    const { page, board, agent, taskboard, workspaceId } = app
    const other = await board.add({ title: 'Other' })
    const later = Date.now() + 30 * 86_400_000
    const { id } = await board.add({ title: 'Plan', dependsOn: [other.id], notBefore: later })
    await taskboard.agents.update(workspaceId, agent.id, { paused: true })
    await app.go(`#/tasks/${id}`)
    const why = page.getByRole('region', { name: "Why isn't anyone working on this?" })
    await why.getByText('It waits for 1 task.').waitFor()
    await why.getByText(/^It starts in /).waitFor()
    await why.getByText('Quill is paused.').waitFor()
    expect(await page.getByRole('heading', { name: 'Place in the queue' }).count()).toBe(0)
    await expect(app.violations()).resolves.toEqual([])
    await taskboard.agents.update(workspaceId, agent.id, { paused: false })
    await board.move(other.id, 'DONE')
    await board.update(id, { notBefore: null })
    await why.getByText('Quill is offline').waitFor()
    expect(await why.getByRole('listitem').count()).toBe(1)
  })
})

it('does not clip its cards on a tablet', async () => {
  const app = await open({ browser: { viewport: { width: 768, height: 900 } } })
  const { page, board } = app
  await board.add({ title: 'Plan', tags: ['a-very-long-tag-without-any-break-in-it-at-all-anywhere'] })
  await board.add({ title: 'A bare link https://example.com/a/path/that/has/no/end/and/no/space/in/it' })
  await card(page, 'Plan').waitFor()
  const overflow = await column(page, 'todo')
    .locator('.column-scroll')
    .evaluate((scroller) => {
      const edge = scroller.getBoundingClientRect().right
      const cards = [...scroller.querySelectorAll('.card, .card *')]
      return Math.max(
        ...cards.map((each) => each.getBoundingClientRect().right - edge),
        scroller.scrollWidth - scroller.clientWidth,
      )
    })
  expect(overflow).toBeLessThanOrEqual(0)
})

it('shows the message of a failure as it was written', async () => {
  const app = await open()
  const { page, board, agent } = app
  const { id } = await board.add({ title: 'Plan' })
  const claimed = await board.claim({ agentId: agent.id })
  const reason = '# error in File "/srv/__main__.py"\n    at `run` <module> *now*\n\n- end'
  await board.fail(id, { fencingToken: claimed?.lease?.fencingToken ?? -1, reason, retry: false })
  for (const [hash, place] of [
    ['#/inbox', page.locator('main')],
    [`#/tasks/${id}`, page.getByRole('dialog')],
  ] as const) {
    await app.go(hash)
    const shown = place.locator('pre', { hasText: '# error' }).first()
    await shown.waitFor()
    expect(await shown.textContent()).toBe(reason)
    const look = await page.evaluate<string>(
      `(({ fontFamily, whiteSpace }) => fontFamily + ' ' + whiteSpace)(
        getComputedStyle([...document.querySelectorAll('pre')].find((each) => each.textContent.includes('# error'))))`,
    )
    expect(look).toMatch(/mono.* pre-wrap$/)
  }
})

import { type Agent, shortDigest } from '@taskboard/core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'
import { eachLogin } from '../setting.js'

/** How long a decision can be undone. */
const UNDO_MS = 5_000

const stage = useStage({ host: 'Express', storage: 'PGlite', mountPath: '', login: 'taskboard' })

interface AppWithAgent extends OpenedApp {
  readonly agent: Agent
}

async function open(options: OpenOptions = {}): Promise<AppWithAgent> {
  const app = await stage.open(options)
  const agent = await app.taskboard.agents.create(app.workspaceId, { name: 'Quill', type: 'writing' })
  return { ...app, agent }
}

const panel = ({ page }: OpenedApp) => page.getByRole('dialog').first()

async function openTask(app: OpenedApp, input: Parameters<OpenedApp['board']['add']>[0]) {
  const task = await app.board.add(input)
  await app.go(`#/tasks/${task.id}`)
  const dialog = panel(app)
  await dialog.getByRole('heading', { name: 'Details' }).waitFor()
  return { task, dialog }
}

async function claim({ board, agent }: AppWithAgent) {
  const task = await board.claim({ agentId: agent.id, leaseMs: 60_000 })
  const fencingToken = task?.lease?.fencingToken ?? -1
  return { id: task?.id ?? '', fencingToken }
}

describe('the panel of a task', () => {
  it('completes a task by a person, with a result, also one that an agent has', async () => {
    const app = await open()
    const { task, dialog } = await openTask(app, { title: 'Call the customer' })
    const complete = async (result: string): Promise<void> => {
      await dialog.getByRole('button', { name: 'Complete' }).click()
      const asked = app.page.getByRole('dialog', { name: 'Complete this task yourself?' })
      await asked.getByLabel('Result (optional)').fill(result)
      await asked.getByRole('button', { name: 'Complete' }).click()
      await asked.waitFor({ state: 'detached' })
    }
    await complete('They want it in blue.')
    await dialog.getByText('They want it in blue.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Complete' }).count()).toBe(0)
    const done = await app.board.get(task.id)
    expect([done.result, done.takenBy?.kind]).toEqual(['They want it in blue.', 'user'])

    await app.board.move(task.id, 'TODO')
    await claim(app)
    await dialog.getByText('Attempts').first().waitFor()
    await complete('In red, after all.')
    await dialog.getByText('In red, after all.').waitFor()
    expect((await app.board.get(task.id)).takenBy?.name).toContain('@')
  })

  it('names the authors of its thread, and shows the id of one without a name', async () => {
    const app = await open()
    const { task, dialog } = await openTask(app, { title: 'Talk' })
    for (const name of ['Grace Hopper', null]) {
      await app.board.comment(task.id, { body: 'b' }, { actor: { kind: 'user', id: 'member-7', name } })
    }
    await dialog.getByText('Grace Hopper').waitFor()
    await dialog.getByText('member-7').waitFor()
    expect(await dialog.getByText('Person', { exact: true }).count()).toBe(0)
  })

  it('edits every field in its place', async () => {
    const app = await open()
    const { board, agent } = app
    const other = await board.add({ title: 'Collect the figures' })
    const { task, dialog } = await openTask(app, { title: 'Write the report' })
    const edit = async (field: string, label: string, value: string): Promise<void> => {
      await dialog.getByRole('button', { name: `Edit ${field}` }).click()
      await dialog.getByLabel(label, { exact: true }).fill(value)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByRole('button', { name: `Edit ${field}` }).waitFor()
    }
    const choose = async (field: string, value: string): Promise<void> => {
      await dialog.getByRole('button', { name: `Edit ${field}` }).click()
      await dialog.getByLabel(field, { exact: true }).selectOption(value)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByRole('button', { name: `Edit ${field}` }).waitFor()
    }
    await edit('Title', 'Title', 'Write the yearly report')
    await edit('Description', 'Description', 'In **French**.')
    await choose('Priority', 'urgent')
    await edit('Type', 'Type', 'writing')
    await edit('Due', 'Due', '2099-05-01T10:00')
    await edit('Not before', 'Not before', '2098-05-01T10:00')
    await edit('Tags', 'Tags', 'one\ntwo, with a comma')
    await choose('Only for agent', 'Quill')
    await edit('Budget', 'Tokens', '5000')
    await dialog.getByRole('button', { name: 'Edit Waits for' }).click()
    await dialog.getByLabel('Find a task to wait for').fill('figures')
    await dialog.getByRole('button', { name: 'Wait for Collect the figures' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Edit Waits for' }).waitFor()
    await dialog.getByRole('link', { name: 'Collect the figures' }).waitFor()
    expect(await board.get(task.id)).toMatchObject({
      title: 'Write the yearly report',
      description: 'In **French**.',
      priority: 'urgent',
      type: 'writing',
      tags: ['one', 'two, with a comma'],
      assignedTo: agent.id,
      budget: { tokens: 5_000, costUsd: null },
      dependsOn: [other.id],
    })
    expect(await dialog.locator('strong', { hasText: 'French' }).count()).toBe(1)
    await expect(app.violations()).resolves.toEqual([])
  }, 30_000)

  it('says what the server refuses beside the field, and keeps what was typed', async () => {
    const app = await open()
    const { dialog } = await openTask(app, { title: 'Write the report' })
    await dialog.getByRole('button', { name: 'Edit Budget' }).click()
    await dialog.getByLabel('Tokens', { exact: true }).fill('99999999999999999999')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').first().waitFor()
    expect(await dialog.getByLabel('Tokens', { exact: true }).inputValue()).toBe('99999999999999999999')
    await app.page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Edit Budget' }).waitFor()
  })

  it('keeps an edit that is not saved when the panel closes, until it is saved or cancelled', async () => {
    const app = await stage.open()
    const { task, dialog } = await openTask(app, { title: 'Write the report', description: 'As it was' })
    const typed = dialog.getByLabel('Description', { exact: true })
    const edit = dialog.getByRole('button', { name: 'Edit Description' })
    await edit.click()
    await typed.fill('Half a sen')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await app.page.getByText("Your edit isn't saved.").waitFor()

    await app.go(`#/tasks/${task.id}`)
    await expect.poll(() => typed.inputValue()).toBe('Half a sen')
    await typed.fill('Half a sentence')
    await app.page.keyboard.press('Escape')
    await edit.click()
    expect(await typed.inputValue()).toBe('Half a sentence')
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await edit.click()
    expect(await typed.inputValue()).toBe('As it was')
    await typed.fill('Done')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await edit.click()
    expect(await typed.inputValue()).toBe('Done')
  })

  it('shows what somebody else changed meanwhile, and overwrites nothing unseen', async () => {
    const app = await open()
    const { task, dialog } = await openTask(app, { title: 'Write the report', description: 'Draft one' })
    await dialog.getByRole('button', { name: 'Edit Description' }).click()
    const typed = dialog.getByLabel('Description', { exact: true })
    await typed.fill('My text')
    await app.board.update(task.id, { description: 'Their text' })
    await dialog.getByText('Someone else changed this').waitFor()
    await dialog.getByText('Their text').waitFor()
    expect(await typed.inputValue()).toBe('My text')
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await dialog.getByRole('button', { name: 'Edit Description' }).waitFor()
    expect((await app.board.get(task.id)).description).toBe('My text')
  })

  it('follows progress, the log, outputs and the result as they happen', async () => {
    const app = await open()
    const { board } = app
    const { dialog } = await openTask(app, { title: 'Write the report' })
    const { id, fencingToken } = await claim(app)
    await dialog.getByRole('progressbar').waitFor()
    await board.progress(id, { fencingToken, progress: 40 })
    await dialog.getByText('40 %').waitFor()
    const log = dialog.getByRole('log')
    for (let line = 1; line <= 60; line++) await board.log(id, { fencingToken, message: `line ${line}` })
    await log.getByText('line 60', { exact: true }).waitFor()
    const distance = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    expect(await distance()).toBeLessThan(30)
    await log.evaluate((box) => box.scrollTo(0, 0))
    await dialog.getByRole('button', { name: 'To the end' }).waitFor()
    await board.log(id, { fencingToken, message: 'bad news', level: 'error' })
    await log.getByText('bad news').waitFor({ state: 'attached' })
    expect(await distance()).toBeGreaterThan(100)
    await dialog.getByRole('button', { name: 'To the end' }).click()
    expect(await distance()).toBeLessThan(30)
    await board.output(id, { fencingToken, type: 'link', name: 'draft', url: 'https://example.com/draft' })
    await board
      .output(id, { fencingToken, type: 'link', name: 'trap', url: 'javascript:alert(1)' })
      .catch(() => null)
    await board.complete(id, { fencingToken, result: '# Done\n\n- well' })
    await dialog.getByRole('link', { name: 'draft' }).waitFor()
    expect(await dialog.getByRole('link', { name: 'trap' }).count()).toBe(0)
    await dialog.getByRole('heading', { name: 'Done', exact: true }).waitFor()
    await dialog.getByText('Completed', { exact: true }).first().waitFor()
    await expect(app.violations()).resolves.toEqual([])
  }, 20_000)

  it('shows earlier lines of the log, page by page, and keeps its place', async () => {
    const app = await open()
    const { board, page } = app
    await board.add({ title: 'Count' })
    const { id, fencingToken } = await claim(app)
    for (let line = 1; line <= 230; line++) await board.log(id, { fencingToken, message: `line ${line}` })
    await app.go(`#/tasks/${id}`)
    const dialog = panel(app)
    const log = dialog.getByRole('log')
    const texts = () => log.locator('.log-text').allInnerTexts()
    const linesFrom = (from: number, to = 230) =>
      Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)
    await log.getByText('line 230', { exact: true }).waitFor()
    expect(await texts()).toEqual(linesFrom(131))
    const earlier = log.getByRole('button', { name: 'Show earlier lines' })
    await earlier.click()
    await log.getByText('line 31', { exact: true }).waitFor()
    expect(await texts()).toEqual(linesFrom(31))
    // What was at the top is still there, and the lines that were added are above it.
    const top = await log.evaluate((box) => box.getBoundingClientRect().top)
    const first = await log.getByText('line 131', { exact: true }).boundingBox()
    expect(Math.abs((first?.y ?? 0) - top)).toBeLessThan(60)
    await expect(app.violations()).resolves.toEqual([])

    await board.log(id, { fencingToken, message: 'line 231' })
    await log.getByText('line 231', { exact: true }).waitFor({ state: 'attached' })
    await board.update(id, { tags: ['counted'] })
    await dialog.getByText('counted').waitFor()
    expect(await texts()).toEqual(linesFrom(31, 231))
    await earlier.click()
    await expect.poll(texts).toEqual(linesFrom(1, 231))
    expect(await earlier.count()).toBe(0)
    expect(await page.evaluate('document.activeElement.role')).toBe('log')
  })

  it.each(eachLogin)('asks, answers, comments and decides in the panel (login: %s)', async (login) => {
    const app = await open({ login, browser: { colorScheme: 'dark' } })
    const { board } = app
    const { dialog } = await openTask(app, { title: 'Paint the door' })
    const first = await claim(app)
    await board.ask(first.id, { fencingToken: first.fencingToken, question: 'Which colour?' })
    await dialog.getByRole('heading', { name: 'An agent asks' }).waitFor()
    await dialog.getByLabel('Your answer').fill('Green')
    await dialog.getByRole('button', { name: 'Comment only' }).click()
    await dialog.getByRole('listitem').filter({ hasText: 'Green' }).waitFor()
    await dialog.getByLabel('Your answer').fill('Dark green')
    await app.page.keyboard.press('Control+Enter')
    await dialog.getByLabel('Write a comment').waitFor()
    const second = await claim(app)
    const { approval } = await board.requestApproval(second.id, {
      fencingToken: second.fencingToken,
      action: 'buy',
      summary: 'Buy the paint',
      input: { colour: 'green\u202e', litres: 2 },
    })
    await dialog.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await dialog.locator('.input dd').allTextContents()).toEqual(['green\\u202e', '2'])
    await dialog.getByRole('button', { name: 'JSON' }).click()
    expect(await dialog.locator('pre.exact').textContent()).toBe(
      '{\n  "colour": "green\\u202e",\n  "litres": 2\n}',
    )
    await dialog.getByText(`Exact input, digest ${shortDigest(approval.inputDigest)}`).waitFor()
    await expect(app.violations()).resolves.toEqual([])
    await dialog.getByLabel('Comment (optional)').fill('Not the cheap one')
    const sent = app.page.waitForRequest((request) => request.url().endsWith('/decision'))
    await app.page.clock.install()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await dialog.locator('.decided').getByText('You can undo this for 5 seconds.').waitFor()
    await expect(app.violations()).resolves.toEqual([])
    await app.page.clock.fastForward(UNDO_MS)
    await dialog.locator('.decided').waitFor({ state: 'detached' })
    expect((await sent).postDataJSON()).toMatchObject({ digest: approval.inputDigest })
    const { comments } = await board.comments(first.id)
    expect(comments.map(({ kind }) => kind)).toEqual(['question', 'comment', 'answer', 'decision'])
    const attempts = dialog.locator('.attempts')
    await attempts.getByText('Paused for input').first().waitFor()
  })

  it('adds subtasks, moves, cancels, releases and deletes', async () => {
    const app = await open()
    const { board, page } = app
    const { task, dialog } = await openTask(app, { title: 'Move house' })
    await dialog.getByRole('button', { name: 'Add subtask' }).click()
    await dialog.getByLabel('Title of the subtask').fill('Pack the books')
    await page.keyboard.press('Enter')
    await dialog.getByRole('link', { name: 'Pack the books' }).waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.getByRole('button', { name: 'Cancel task' }).click()
    await page.getByLabel('Why (optional)').fill('No longer needed')
    await page.getByRole('dialog').last().getByRole('button', { name: 'Cancel task' }).click()
    await dialog.getByRole('heading', { name: 'Cancelled' }).waitFor()
    // With an agent that is there, the task only waits for its turn.
    await claim(app)
    await dialog.getByRole('button', { name: 'Release' }).click()
    await dialog.getByRole('heading', { name: 'Place in the queue' }).waitFor()
    await dialog.getByRole('row', { name: /Priority/ }).waitFor()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Move to Done?' })
    await question.getByRole('button', { name: 'Move', exact: true }).click()
    await question.waitFor({ state: 'detached' })
    await dialog.getByText('Done', { exact: true }).first().waitFor()
    expect((await board.get(task.id)).column).toBe('DONE')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Delete this task?' }).waitFor()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect(board.get(task.id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
  }, 20_000)

  it('is opened by a link: of another workspace, of none, and while it is deleted', async () => {
    const app = await open()
    const { taskboard, accountId, page } = app
    const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
    const far = await taskboard.board(second.id).add({ title: 'Far away' })
    await page.reload()
    await app.go(`#/tasks/${far.id}`)
    await page.getByRole('heading', { name: 'Far away' }).waitFor()
    await page.getByText('is in the workspace Second').waitFor()
    expect(await page.locator('.workspace select').inputValue()).toBe(second.id)
    await taskboard.board(second.id).delete(far.id)
    await page.getByText('This task was deleted.').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await app.go('#/tasks/task_unknown')
    await page.getByText("doesn't exist, or it was deleted").waitFor()
  }, 20_000)
})

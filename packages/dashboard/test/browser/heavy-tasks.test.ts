import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'

const stage = useStage({ host: 'fetch handler', storage: 'memory', mountPath: '/kanban', login: 'host' })

const assertShown = (locator: Locator): Promise<void> => locator.waitFor()

async function claim({ taskboard, board, workspaceId }: OpenedApp) {
  const agent = await taskboard.agents.create(workspaceId, { name: 'Quill', type: 'writing' })
  const task = await board.claim({ agentId: agent.id })
  return { id: task?.id ?? '', fencingToken: task?.lease?.fencingToken ?? 0 }
}

async function openTask({ page, go }: OpenedApp, id: string) {
  await go(`#/tasks/${id}`)
  const dialog = page.getByRole('dialog')
  await assertShown(dialog.getByRole('heading', { name: 'Details' }))
  return dialog
}

function requestsOf(page: Page, part: string): readonly string[] {
  const found: string[] = []
  page.on('request', (request) => void (request.url().includes(part) && found.push(request.url())))
  return found
}

/** Each keeps a parser busy for minutes, if nothing bounds what it does. */
const busy = [
  ['marks that nest, with spaces between them', `${'>   '.repeat(23)}x`],
  ['marks of a list, with tabs', `${'- \t \t '.repeat(23)}x`],
  ['emphasis that never ends', '*www.'.repeat(4_000)],
  ['underscores', '_a'.repeat(10_000)],
] as const

it.each(busy)('shows a description of %s', async (_, description) => {
  const app = await stage.open({ isLoggedIn: false })
  const { id } = await app.board.add({ title: 'Heavy', description })
  await app.logIn()
  const dialog = await openTask(app, id)
  await assertShown(dialog.getByText(description.trim().slice(0, 20)).first())
})

it('formats the beginning of a result of a million characters, and shows the rest on demand', async () => {
  const app = await stage.open({ isLoggedIn: false })
  await app.board.add({ title: 'Heavy' })
  const { id, fencingToken } = await claim(app)
  const result = `# Title\n\n${'_a'.repeat(499_000)}\n\nthe end`
  await app.board.complete(id, { fencingToken, result })
  await app.logIn()
  const dialog = await openTask(app, id)
  await assertShown(dialog.getByRole('heading', { name: 'Title' }))
  expect(await dialog.getByText('the end').count()).toBe(0)
  await dialog.getByRole('button', { name: /^Show all 998,0\d\d characters/ }).click()
  await assertShown(dialog.getByText('the end'))
})

it('formats lists that are long and harmless', async () => {
  const app = await stage.open({ isLoggedIn: false })
  const description = Array.from({ length: 300 }, (_, index) => `- **point ${index}** of \`many\``).join('\n')
  const { id } = await app.board.add({ title: 'Long', description })
  await app.logIn()
  const dialog = await openTask(app, id)
  const points = dialog.locator('.markdown strong')
  await assertShown(points.nth(299))
  expect(await points.count()).toBe(300)
})

it('shows thousands of comments in steps, and reads only the last page again for a new one', async () => {
  const app = await stage.open({ isLoggedIn: false })
  const { id } = await app.board.add({ title: 'Talked about' })
  for (let count = 1; count <= 2_300; count++) await app.board.comment(id, { body: `comment ${count}` })
  await app.logIn()
  const asked = requestsOf(app.page, '/comments')
  const dialog = await openTask(app, id)
  await assertShown(dialog.getByText('comment 2300', { exact: true }))
  expect(await dialog.locator('.entry').count()).toBe(30)
  await dialog.getByRole('button', { name: 'Show 200 earlier comments' }).click()
  await assertShown(dialog.getByText('comment 2071', { exact: true }))
  const before = asked.length
  await dialog.getByLabel('Write a comment').fill('one more')
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click()
  await assertShown(dialog.locator('.entry').getByText('one more'))
  expect(asked.slice(before).filter((url) => !url.includes('cursor=') && url.includes('?'))).toEqual([])
})

it('does not say that all subtasks are known when there are more', async () => {
  const app = await stage.open({ isLoggedIn: false })
  const { id } = await app.board.add({ title: 'Large' })
  for (let count = 1; count <= 205; count++) {
    const part = await app.board.add({ title: `part ${count}`, parentId: id })
    await app.board.move(part.id, 'DONE')
  }
  await app.logIn()
  await assertShown(app.page.getByText('More than 100 subtasks'))
  const dialog = await openTask(app, id)
  await assertShown(dialog.getByText('more than 200'))
  await assertShown(dialog.getByText('The newest 200 are shown.'))
})

it('escapes what cannot be seen in the input of an approval', async () => {
  const app = await stage.open({ isLoggedIn: false })
  await app.board.add({ title: 'Pay' })
  const { id, fencingToken } = await claim(app)
  const input = { to: 'acme\u3164\u00a0\u2800\u0085\u034f\ufe0f\u{e0041}\u202e', note: 'two words' }
  await app.board.requestApproval(id, { fencingToken, action: 'pay', summary: 'Pay', input })
  await app.logIn()
  const dialog = await openTask(app, id)
  await assertShown(dialog.getByText('acme\\u3164\\u00a0\\u2800\\u0085\\u034f\\ufe0f\\udb40\\udc41\\u202e'))
  await dialog.getByRole('button', { name: 'JSON' }).click()
  expect(await dialog.locator('pre.exact').textContent()).toBe(
    '{\n  "to": "acme\\u3164\\u00a0\\u2800\\u0085\\u034f\\ufe0f\\udb40\\udc41\\u202e",\n  "note": "two words"\n}',
  )
})

it('follows a flood of events with few requests', async () => {
  const app = await stage.open({ isLoggedIn: false })
  const { id } = await app.board.add({ title: 'Busy' })
  await app.logIn()
  await assertShown(app.page.getByText('Live', { exact: true }))
  const asked = requestsOf(app.page, '/v2/')
  for (let count = 1; count <= 3_000; count++) {
    await app.board.update(id, { title: `Busy ${count}` })
    if (count % 100 === 0) await app.page.evaluate('1')
  }
  await assertShown(app.page.getByText('Busy 3000'))
  expect(asked.length).toBeLessThan(60)
})

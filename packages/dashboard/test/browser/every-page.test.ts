import { defineAgent } from '@taskboard/core'
import { slack } from '@taskboard/notify'
import { expect, it } from 'vitest'
import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { settingsText } from '../../app/texts/settings.js'
import { appPages } from '../app-pages.js'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'

const stage = useStage({ host: 'fetch handler', storage: 'PGlite', mountPath: '/kanban', login: 'taskboard' })
const talker = defineAgent({ type: 'talker', run: () => '', chat: () => Promise.resolve('**Well.**') })

/** A page in a state: its address, and what is done there until it is shown. */
interface Shown {
  readonly name: string
  readonly hash: string
  show(app: Ready): Promise<unknown>
}

interface Ready extends OpenedApp {
  readonly ids: Readonly<
    Record<'agent' | 'webhook' | 'approval' | 'question' | 'failed' | 'done' | 'todo', string>
  >
}

const button =
  (name: string) =>
  ({ page }: OpenedApp) =>
    page.getByRole('button', { name, exact: true }).first()
const press = (name: string) => (app: OpenedApp) => button(name)(app).click()
const dialog = ({ page }: OpenedApp, name: string) => page.getByRole('dialog', { name }).waitFor()
const says = (app: OpenedApp, text: string | RegExp) => app.page.getByText(text).first().waitFor()
const fill = ({ page }: OpenedApp, label: string, text: string) =>
  page.getByLabel(label, { exact: true }).fill(text)
const opens = (name: string, title: string) => async (app: OpenedApp) => {
  await press(name)(app)
  await dialog(app, title)
}

/** Every page, as it is when it is opened. */
const opened = Object.entries(appPages).map(([name, { title }]): Shown => ({
  name: `page: ${name}`,
  hash: `#/${name}`,
  async show({ page }) {
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await page.getByRole('link', { name: title }).and(page.locator('[aria-current=page]')).waitFor()
    await page.locator('main .loading').waitFor({ state: 'detached' })
    await page.locator('main [role=alert]').waitFor({ state: 'detached' })
  },
}))

/** Before anything was added. */
const empty: readonly Shown[] = [
  {
    name: 'board without tasks',
    hash: '#/board',
    show: (app) => app.page.locator('[data-column]').nth(2).waitFor(),
  },
  { name: 'inbox without anything', hash: '#/inbox', show: (app) => says(app, 'Your inbox is empty.') },
  { name: 'agents without any', hash: '#/agents', show: (app) => says(app, 'No agents yet.') },
  { name: 'chat without a conversation', hash: '#/chat', show: (app) => says(app, 'Ask about the board') },
  { name: 'analytics without figures', hash: '#/analytics', show: (app) => says(app, 'Tasks completed') },
]

const card = ({ page }: OpenedApp) => page.locator('[data-card]').first()

const onBoard: readonly Shown[] = [
  { name: 'board', hash: '#/board', show: (app) => card(app).waitFor() },
  {
    name: 'board with filters',
    hash: '#/board',
    async show(app) {
      await press('Filter')(app)
      await app.page.getByLabel('Priority').selectOption('urgent')
      await says(app, 'No task matches the filters.')
    },
  },
  {
    name: 'search',
    hash: '#/board',
    async show(app) {
      await press('Clear filters')(app)
      await app.page.locator('#board-search').fill('Plan')
      await card(app).waitFor()
    },
  },
  {
    name: 'new task',
    hash: '#/board',
    async show(app) {
      await app.page.locator('#board-search').fill('')
      await opens('New task', 'New task')(app)
    },
  },
  {
    name: 'move menu',
    hash: '#/board',
    async show(app) {
      await card(app).focus()
      await app.page.keyboard.press('m')
      await dialog(app, 'Move to …')
    },
  },
  { name: 'help', hash: '#/board', show: opens('Keyboard shortcuts', 'Keyboard shortcuts') },
]

const task = (kind: keyof Ready['ids'], text: string | RegExp): Shown => ({
  name: `task: ${kind}`,
  hash: `#/tasks/:${kind}`,
  show: (app) => app.page.getByRole('dialog').getByText(text).first().waitFor(),
})

const ofTasks: readonly Shown[] = [
  task('todo', "Why isn't anyone working on this?"),
  task('approval', 'An agent asks for approval'),
  task('question', 'An agent asks'),
  task('failed', 'The bank is closed.'),
  task('done', 'A log line'),
  {
    name: 'task: an edit',
    hash: '#/tasks/:todo',
    async show(app) {
      await press('Edit Description')(app)
      await fill(app, 'Description', 'Half a sentence')
    },
  },
  { name: 'task: delete', hash: '#/tasks/:failed', show: opens('Delete', 'Delete this task?') },
  { name: 'task: gone', hash: '#/tasks/task_unknown', show: (app) => says(app, "doesn't exist") },
]

const elsewhere: readonly Shown[] = [
  { name: 'inbox', hash: '#/inbox', show: (app) => app.page.locator('[data-entry]').nth(2).waitFor() },
  { name: 'agents', hash: '#/agents', show: (app) => says(app, 'Quill') },
  { name: 'new agent', hash: '#/agents', show: opens('New agent', 'New agent') },
  { name: 'agent', hash: '#/agents/:agent', show: (app) => dialog(app, 'Quill') },
  {
    name: 'chat',
    hash: '#/chat',
    async show(app) {
      await fill(app, 'Message', 'How is it going?')
      await app.page.keyboard.press('Enter')
      await app.page.locator('strong', { hasText: 'Well.' }).waitFor()
    },
  },
  {
    name: 'analytics',
    hash: '#/analytics',
    async show(app) {
      await app.page.getByRole('img', { name: /^Tasks completed/ }).waitFor()
      await app.page.getByText('Table: Cost by day').click()
    },
  },
]

const ofSettings: readonly Shown[] = [
  ...Object.keys(settingsText.tabs).map((section) => ({
    name: `settings: ${section}`,
    hash: `#/settings/${section}`,
    show: (app: OpenedApp) =>
      app.page.locator(`.tabs [aria-current=page][href='#/settings/${section}']`).waitFor(),
  })),
  { name: 'new API key', hash: '#/settings/keys', show: opens('New API key', 'New API key') },
  {
    name: 'API key that is shown once',
    hash: '#/settings/keys',
    async show(app) {
      await press('New API key')(app)
      await fill(app, 'Name', 'Night worker')
      await press('Create key')(app)
      await app.page.getByRole('region', { name: 'The key of Night worker' }).waitFor()
    },
  },
  { name: 'new webhook', hash: '#/settings/webhooks', show: opens('New webhook', 'New webhook') },
  {
    name: 'webhook',
    hash: '#/settings/webhooks/:webhook',
    show: (app) => button('Rotate secret')(app).waitFor(),
  },
  {
    name: 'secret that is shown once',
    hash: '#/settings/webhooks/:webhook',
    async show(app) {
      await press('Rotate secret')(app)
      await press('Create new secret')(app)
      await app.page.getByRole('region', { name: 'The new secret' }).waitFor()
    },
  },
  { name: 'new channel', hash: '#/settings/channels', show: opens('New channel', 'New channel') },
  { name: 'new schedule', hash: '#/settings/schedules', show: opens('New schedule', 'New schedule') },
  { name: 'new member', hash: '#/settings/members', show: opens('Invite member', 'Invite member') },
  { name: 'new workspace', hash: '#/settings/workspaces', show: opens('New workspace', 'New workspace') },
]

/** These are about Taskboard's login, too. */
const open = (options: OpenOptions = {}) => stage.open({ login: 'taskboard', ...options })

async function assertAccessible(app: OpenedApp, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.page.emulateMedia({ colorScheme })
    const violations = await app.violations()
    expect.soft({ name, colorScheme, violations }).toEqual({ name, colorScheme, violations: [] })
  }
}

async function assertAll(app: Ready, list: readonly Shown[]): Promise<void> {
  for (const { name, hash, show } of list) {
    await app.go(hash.replace(/:(\w+)/, (_, kind: keyof Ready['ids']) => app.ids[kind]))
    await show(app)
    await assertAccessible(app, name)
    for (let left = await dialogs(app); left > 0; left = await dialogs(app)) {
      await app.page.keyboard.press('Escape')
    }
  }
}

const dialogs = ({ page }: OpenedApp) => page.locator('dialog[open]').count()

async function fillBoard(app: OpenedApp): Promise<Ready> {
  const { board, taskboard, workspaceId } = app
  const agent = await taskboard.agents.create(workspaceId, { name: 'Quill', type: 'writing', tools: ['pen'] })
  await taskboard.agents.create(workspaceId, { name: 'Talker', type: 'talker' })
  const webhook = await taskboard.webhooks.register(workspaceId, {
    url: 'https://hooks.example/',
    events: ['agent.alert'],
    secret: 'long enough to be a secret',
  })
  await board.schedules.create({ cron: '0 9 * * *', task: { title: 'Weekly report' } })
  const claim = async (title: string) => {
    const { id } = await board.add({
      title,
      assignedTo: agent.id,
      description: 'With *Markdown* and a [link](https://example.com).',
    })
    const claimed = await board.claim({ agentId: agent.id })
    return { id, fencingToken: claimed?.lease?.fencingToken ?? 0 }
  }
  const approval = await claim('Refund')
  const wanted = { action: 'refund', summary: 'Refund order 7', input: { order: 7 } }
  await board.requestApproval(approval.id, { fencingToken: approval.fencingToken, ...wanted })
  const question = await claim('Paint the door')
  await board.ask(question.id, { fencingToken: question.fencingToken, question: 'Which colour?' })
  const failed = await claim('Fetch the rates')
  const failure = { reason: 'The bank is closed.', retry: false }
  await board.fail(failed.id, { fencingToken: failed.fencingToken, ...failure })
  const { id: done, fencingToken } = await claim('Write the report')
  await board.log(done, { fencingToken, message: 'A log line', level: 'warn' })
  await board.output(done, { fencingToken, type: 'link', name: 'draft', url: 'https://example.com/draft' })
  await board.usage(done, { fencingToken, model: 'large', inputTokens: 10, outputTokens: 5, costUsd: 0.25 })
  await board.comment(done, { body: 'Well done.' })
  await board.complete(done, { fencingToken, result: '# Done\n\n- well\n\n```\ncode\n```' })
  const first = await board.add({
    title: 'Plan',
    assignedTo: agent.id,
    tags: ['docs'],
    priority: 'high',
    dueDate: Date.now() - 1_000,
  })
  const { id: todo } = await board.add({
    title: 'Plan the launch',
    assignedTo: agent.id,
    dependsOn: [first.id],
    parentId: first.id,
  })
  const ids = { agent: agent.id, webhook: webhook.id, approval: approval.id, question: question.id }
  return { ...app, ids: { ...ids, failed: failed.id, done, todo } }
}

it('has no fault that axe finds, in light and dark, on any page', async () => {
  const bare = await open()
  await assertAll({ ...bare, ids: {} as Ready['ids'] }, [...opened, ...empty])
  const app = await open({ taskboard: { agents: [talker], notifications: [slack()] } })
  await assertAll(await fillBoard(app), [...opened, ...onBoard, ...ofTasks, ...elsewhere, ...ofSettings])
}, 120_000)

it('has none while the server is away, and when it does not begin', async () => {
  const app = await open()
  app.expectProblem(/WebSocket connection|ERR_CONNECTION_REFUSED/)
  await app.board.add({ title: 'Before' })
  await card(app).waitFor()
  await app.stopServer()
  await says(app, 'Offline. The board shows the last known state')
  await assertAccessible(app, 'offline')
  await app.startServer()
  await app.page.route('**/dashboard/config', (route) => route.fulfill({ status: 500, body: '' }))
  await app.page.reload()
  await button('Try again')(app).waitFor()
  await assertAccessible(app, 'no configuration')
})

it('has none on the pages of a login', async () => {
  const app = await open({ isLoggedIn: false })
  const { page } = app
  await app.go('')
  await page.getByLabel('Email').waitFor()
  await assertAccessible(app, 'login')
  await fill(app, 'Email', app.owner.email)
  await fill(app, 'Password', 'wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await assertAccessible(app, 'login error')
  await fill(app, 'Password', app.owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await app.go('#/settings/security')
  await press('Set up')(app)
  const secret = await page.locator('.secret code').innerText()
  await assertAccessible(app, 'second factor: set up')
  await fill(app, 'Code from the app', oneTimePassword(secret))
  await page.keyboard.press('Enter')
  await page.getByRole('listitem').locator('code').first().waitFor()
  await assertAccessible(app, 'second factor: recovery codes')
  await press('Log out')(app)
  await page.getByLabel('Email').waitFor()
  await fill(app, 'Email', app.owner.email)
  await fill(app, 'Password', app.owner.password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code').waitFor()
  await assertAccessible(app, 'login with a second factor')
  const hosted = await open({ login: 'host', isLoggedIn: false, dashboard: { loginUrl: '/login' } })
  await hosted.go('')
  await says(hosted, 'You are not logged in.')
  await assertAccessible(hosted, 'login of the host')
})

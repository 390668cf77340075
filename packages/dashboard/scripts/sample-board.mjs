// A board with something of everything, on a clock that stands still: the same pictures each time.
import { randomBytes } from 'node:crypto'
import { createTaskboard, defineAgent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const BEGIN = '2026-11-02T08:00:00Z'
const WORKING_DAYS = 14

export const owner = { email: 'ada@example.com', password: randomBytes(18).toString('base64url') }

const reports = [
  ['Compare four vendors of label printers', 'research'],
  ['Summarise the feedback on the beta', 'writing'],
  ['Check the invoices of October', 'finance'],
  ['Draft the release notes for 2.4', 'writing'],
  ['Find where the sign-up loses people', 'research'],
]

const waiting = [
  {
    title: 'Write the case study about Northwind',
    type: 'writing',
    priority: 'high',
    dueInMs: 2 * DAY_MS,
    tags: ['marketing'],
  },
  {
    title: 'Reconcile the payouts of last week',
    type: 'finance',
    priority: 'urgent',
    dueInMs: 5 * HOUR_MS,
    tags: ['month-end'],
  },
  {
    title: 'Read the new tender of the city library',
    type: 'research',
    priority: 'medium',
    dueInMs: 9 * DAY_MS,
    tags: ['sales', 'public sector'],
  },
  { title: 'Translate the help page about refunds', type: 'writing', priority: 'low', tags: ['docs'] },
  {
    title: 'Answer the questions of the security review',
    type: 'research',
    priority: 'high',
    dueInMs: -3 * HOUR_MS,
    tags: ['sales'],
  },
  {
    title: 'Collect the prices of the three nearest competitors',
    type: 'research',
    priority: 'medium',
    tags: [],
  },
]

const description = `Send the **three** drafts that the team chose.

- [x] Pick the drafts
- [x] Check every number against \`figures.csv\`
- [ ] Send them to <press@example.com>

See [the brief](https://example.com/brief).`

/** Fills a board, and starts it. `close` ends it. */
export async function openSampleBoard() {
  const clock = virtualClock(BEGIN)
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    tokens: { secret: randomBytes(32) },
    secrets: { encryptionKey: randomBytes(32) },
    agents: [
      defineAgent({
        type: 'assistant',
        run: async () => '',
        chat: async (message) =>
          `You said: ${message}. There are six tasks to do; the most pressing one is about the payouts.`,
      }),
    ],
  })
  const { account, workspace } = await taskboard.accounts.create({
    name: 'Harbour & Co',
    tier: 'professional',
    workspaceName: 'Operations',
    owner,
  })
  await taskboard.accounts.createWorkspace(account.id, { name: 'Research' })
  await taskboard.accounts.createUser(account.id, { email: 'grace@example.com', password: owner.password })
  const board = taskboard.board(workspace.id)
  const agents = await makeAgents(taskboard, workspace.id)
  const place = { taskboard, clock, board, agents, workspaceId: workspace.id }
  await workThePast(place)
  const taskId = await makeToday(place)
  await makeSettings(taskboard, workspace.id)
  await taskboard.start()
  return { taskboard, now: () => clock.now(), taskId, close: () => taskboard.close() }
}

async function makeAgents({ agents }, workspaceId) {
  const make = (name, type, model, tools) =>
    agents.create(workspaceId, { name, type, model, tools, systemPrompt: `You are ${name}.` })
  return {
    research: await make('Scout', 'research', 'large-2', ['web search', 'spreadsheet']),
    writing: await make('Quill', 'writing', 'large-2', ['editor']),
    finance: await make('Ledger', 'finance', 'small-1', ['accounting']),
  }
}

/** Two weeks of finished work, for the figures. */
async function workThePast({ clock, board, agents }) {
  for (let day = 0; day < WORKING_DAYS; day++) {
    for (const [index, [title, type]] of reports.entries()) {
      if ((day + index) % 3 === 0) continue
      await board.add({ title, type, assignedTo: agents[type].id, tags: ['weekly'] })
      const task = await claim(board, agents[type])
      await clock.advance((7 + ((day * 5 + index * 3) % 11)) * MINUTE_MS)
      await report(board, task, 0.04 + index * 0.02)
      if ((day + index) % 8 === 0) {
        await board.fail(task.id, {
          fencingToken: task.lease.fencingToken,
          reason: 'The source did not answer.',
          retry: false,
        })
        await board.delete(task.id)
      } else {
        await board.complete(task.id, {
          fencingToken: task.lease.fencingToken,
          result: `Done: ${title.toLowerCase()}.`,
        })
      }
    }
    await clock.advance(DAY_MS - (clock.now() % DAY_MS) + 8 * HOUR_MS)
  }
}

async function makeToday({ clock, board, agents }) {
  const assigned = (type) => ({ type, assignedTo: agents[type].id })
  await clock.advance(2 * HOUR_MS)

  await board.add({ title: 'Close the books of October', ...assigned('finance'), priority: 'high' })
  const failing = await claim(board, agents.finance)
  await board.fail(failing.id, {
    fencingToken: failing.lease.fencingToken,
    reason: 'The bank refused the connection (403).',
    retry: false,
  })

  await board.add({ title: 'Choose a name for the new plan', ...assigned('writing'), priority: 'medium' })
  const asking = await claim(board, agents.writing)
  await board.ask(asking.id, {
    fencingToken: asking.lease.fencingToken,
    question: 'Should the name be one word? "Harbour Pro" and "Anchor" are the best two.',
  })

  const parent = await board.add({
    title: 'Send the press kit',
    description,
    ...assigned('writing'),
    priority: 'urgent',
    dueDate: clock.now() + 6 * HOUR_MS,
    tags: ['press', 'launch'],
  })
  const sending = await claim(board, agents.writing)
  const { fencingToken } = sending.lease
  await board.log(sending.id, { fencingToken, message: 'Read the brief and figures.csv' })
  await board.log(sending.id, {
    fencingToken,
    message: 'One number differs from the brief: 1,204 and 1,240',
    level: 'warn',
  })
  await board.output(sending.id, {
    fencingToken,
    type: 'document',
    name: 'Press kit, draft 3',
    url: 'https://example.com/press-kit.pdf',
    size: 184_320,
  })
  await report(board, sending, 0.18)
  await board.progress(sending.id, { fencingToken, progress: 80 })
  await board.requestApproval(sending.id, {
    fencingToken,
    action: 'send_email',
    summary: 'Send the press kit to 214 journalists',
    input: { to: 'press-list', subject: 'Harbour 2.4', attachments: ['press-kit.pdf'] },
  })
  await board.comment(parent.id, {
    body: 'Please wait for the last number from finance.',
    authorName: 'Grace',
  })

  await startWork(board, agents.research, 'Watch the launch of Contoso', 35)
  await startWork(board, agents.finance, 'Match 340 receipts with the ledger', 70)
  for (const { dueInMs, type, ...task } of waiting) {
    await board.add({
      ...task,
      ...assigned(type),
      dueDate: dueInMs === undefined ? null : clock.now() + dueInMs,
    })
    await clock.advance(3 * MINUTE_MS)
  }
  await board.add({
    title: 'Check the quotes in the press kit',
    ...assigned('research'),
    parentId: parent.id,
  })

  await clock.advance(20_000)
  return parent.id
}

async function startWork(board, agent, title, progress) {
  const made = await board.add({
    title,
    type: agent.type,
    assignedTo: agent.id,
    priority: 'urgent',
    tags: ['today'],
  })
  const task = await claim(board, agent)
  if (task.id !== made.id) throw new Error(`${task.title} came before ${title}`)
  await report(board, task, 0.07)
  await board.progress(task.id, { fencingToken: task.lease.fencingToken, progress })
}

async function claim(board, agent) {
  const task = await board.claim({ agentId: agent.id, leaseMs: HOUR_MS })
  if (task === null) throw new Error(`${agent.name} found no task`)
  return task
}

function report(board, { id, lease }, costUsd) {
  return board.usage(id, {
    fencingToken: lease.fencingToken,
    model: 'large-2',
    inputTokens: Math.round(costUsd * 120_000),
    outputTokens: Math.round(costUsd * 9_000),
    costUsd,
  })
}

async function makeSettings({ accounts, webhooks, board, usage }, workspaceId) {
  await accounts.createKey({ workspaceId, name: 'nightly import', scopes: ['tasks:read', 'tasks:write'] })
  await webhooks.register(workspaceId, {
    url: 'https://hooks.example.com/board',
    events: ['task.completed', 'task.failed'],
  })
  await board(workspaceId).schedules.create({
    cron: '0 7 * * 1-5',
    timeZone: 'Europe/Berlin',
    task: { title: 'Collect the figures of yesterday', type: 'finance' },
  })
  await usage.setBudget({ workspaceId }, { costUsd: 40 }).catch(() => undefined)
}

import { createTaskboard } from '@taskboard/core'
import { afterAll, describe, expect, it } from 'vitest'
import { createMemory } from './memory-storage.js'
import type { Table } from './tables/table.js'

const { storage, database } = createMemory()
const taskboard = createTaskboard({
  storage,
  notifications: [
    { name: 'chat', secrets: [], parseConfig: (config) => config, deliver: () => Promise.resolve() },
  ],
  tokens: { secret: Buffer.alloc(32, 1) },
  passwordHasher: {
    hash: (password) => Promise.resolve(password),
    verify: (password, stored) => Promise.resolve(password === stored),
    decoy: '',
  },
})
const tables: Readonly<Record<string, Pick<Table<unknown>, 'entries'>>> = { ...database.tables }

const DAY_MS = 86_400_000

/** The tables with a row that names one of the ids anywhere. */
function tablesNaming(ids: readonly string[]): readonly string[] {
  return Object.keys(tables)
    .filter((name) => {
      const text = JSON.stringify([...(tables[name]?.entries() ?? [])])
      return ids.some((id) => text.includes(id))
    })
    .toSorted()
}

/** Gives a workspace a row of every table that it can have one in. */
async function fill(accountId: string, workspaceId: string): Promise<readonly string[]> {
  const board = taskboard.board(workspaceId)
  const agent = await taskboard.agents.create(workspaceId, { name: 'a', type: 'worker' })
  const url = 'https://receiver.example/hook'
  await taskboard.webhooks.register(workspaceId, { url, events: ['task.created', 'task.completed'] })
  const login = { email: `ada@${accountId}.example`, password: 'correct horse battery' }
  const user = await taskboard.accounts.createUser(accountId, login)
  await taskboard.services.login?.sessions.login(login, { clientAddress: '203.0.113.1' })
  const { id } = await board.add({ title: 'first' })
  const task = await board.claim({ agentId: agent.id })
  const fencingToken = task?.fencingToken ?? 0
  await board.log(id, { fencingToken, level: 'info', message: 'line' })
  await board.output(id, { fencingToken, type: 'link', name: 'n', url: 'https://example.com' })
  await board.comment(id, { body: 'a comment' })
  const amounts = { inputTokens: 1, outputTokens: 1 }
  await board.usage(id, { fencingToken, model: 'm', ...amounts })
  await board.ask(id, { fencingToken, question: 'Which?' })
  await board.answer(id, { body: 'That one.' })
  const again = (await board.claim({ agentId: agent.id }))?.fencingToken ?? 0
  await board.requestApproval(id, { fencingToken: again, action: 'send', summary: 's', input: {} })
  const about = { kind: 'approval', id: 'apr_1' } as const
  const link = { workspaceId, taskId: id, about, digest: 'd', userId: user.id, tokenHash: `to ${id}` }
  await storage.links.insertLink({ link: { ...link, ttlMs: DAY_MS } }, { now: null })
  await board.schedules.create({ cron: '0 9 * * *', timeZone: 'UTC', task: { title: 't' } })
  await taskboard.usage.setBudget({ workspaceId }, { tokens: 100 })
  const channel = { type: 'chat', name: 'c', config: {}, events: ['task.created' as const] }
  await taskboard.channels.create(workspaceId, channel)
  await storage.agents.reportPresence({ workspaceId, agentId: agent.id, restMs: 60_000 }, { now: null })
  const key = await taskboard.accounts.createKey({ accountId, name: 'k', scopes: ['tasks:read'] })
  await storage.agents.reportPresence({ workspaceId, agentId: agent.id, restMs: 1_000 }, { now: null })
  await storage.analytics.rollUp({ limit: 1_000 }, { now: null })
  const invitation = {
    accountId,
    email: 'grace@acme.example',
    scopes: null,
    tokenHash: `of ${user.id}`,
  }
  const made = { createdBy: user.id, ttlMs: DAY_MS, most: 20 }
  await storage.access.insertInvitation({ ...invitation, ...made }, { now: null })
  const call = { now: null }
  const owner = { userId: user.id, accountId, timeZone: 'UTC' }
  for (const name of ['used', 'left']) {
    const codeHash = `${name} ${user.id}`
    const code = await storage.bots.insertLinkCode({ ...owner, codeHash, ttlMs: DAY_MS }, call)
    if (name === 'left') continue
    const shown = { bot: 'chat', externalId: user.id, secretHash: 's' }
    await storage.bots.offerLink({ codeHash, name: 'Ada', ...shown }, call)
    await storage.bots.settleLink({ codeId: code.id, ...shown, accepts: true, most: 5 }, call)
  }
  const place = { bot: 'chat', workspaceId, userId: user.id, timeZone: 'UTC' }
  await storage.bots.connectConversation(
    {
      bot: 'chat',
      externalId: workspaceId,
      title: 't',
      workspaceId,
      accountId,
      connectedBy: user.id,
      most: 9,
    },
    call,
  )
  await storage.bots.placeMessage(
    { ...place, conversationId: workspaceId, replyTo: null, taskId: id, most: 20 },
    call,
  )
  return [accountId, workspaceId, agent.id, id, user.id, key.id]
}

/** Where a task has rows for as long as it is there. Its deliveries stay for their own time, and its card says that it is gone. */
const PARTS = [
  'approvals',
  'commentCounts',
  'comments',
  'links',
  'outputs',
  'questions',
  'taskLogs',
  'taskUsage',
  'tasks',
]

afterAll(() => taskboard.close())

/** A workspace with a row of every table, and the ids of its task and its agent. */
async function openFilled() {
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
  const [, , agentId = '', taskId = ''] = await fill(account.id, workspace.id)
  const hangingOn = (): readonly string[] =>
    tablesNaming([taskId]).filter((name) => !['deliveries', 'botMessages'].includes(name))
  return { board: taskboard.board(workspace.id), taskId, agentId, hangingOn }
}

describe('a deletion', () => {
  it('of old done tasks leaves no row that hangs on one, in any table of the memory', async () => {
    const { board, taskId, agentId, hangingOn } = await openFilled()
    expect(hangingOn()).toEqual(PARTS)
    expect(database.attempts.ofAgent(agentId)).not.toEqual([])
    await board.move(taskId, 'DONE')
    const asked = { rows: 'done_tasks', olderThanMs: DAY_MS, limit: 10 } as const
    expect(await storage.prune(asked, { now: Date.now() + 3 * DAY_MS })).toBe(1)
    expect(hangingOn()).toEqual([])
    expect(database.attempts.ofAgent(agentId)).toEqual([])
    expect(tablesNaming([agentId])).toContain('agents')
  })

  it('of a task leaves no row that hangs on it, in any table of the memory', async () => {
    const { board, taskId, agentId, hangingOn } = await openFilled()
    await board.delete(taskId)
    expect(hangingOn()).toEqual([])
    expect(database.attempts.ofAgent(agentId)).toEqual([])
  })

  it('of a workspace leaves no row of it, and everything of its account', async () => {
    const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
    const second = await taskboard.accounts.createWorkspace(account.id, { name: 'b' })
    const [, , agentId = '', taskId = ''] = await fill(account.id, second.id)
    expect(tablesNaming([second.id, agentId, taskId])).toEqual(expect.arrayContaining(PARTS))
    await taskboard.accounts.deleteWorkspace(second.id)
    // The audit of the account says that there was a workspace.
    expect(tablesNaming([second.id, agentId, taskId])).toEqual(['audit'])
    expect(tablesNaming([account.id, workspace.id])).toContain('workspaces')
  })

  it('of an account leaves no row of it in any table of the memory', async () => {
    const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
    const ids = await fill(account.id, workspace.id)
    await taskboard.accounts.update(account.id, { readOnly: true })
    const other = await taskboard.accounts.create({ name: 'b', tier: 'custom' })
    const others = await fill(other.account.id, other.workspace.id)
    // Those that belong to no account.
    const shared = ['botPolling', 'botUpdates', 'deletions', 'loginAttempts', 'runtimes']
    expect(tablesNaming(ids)).toEqual(
      Object.keys(tables)
        .filter((name) => !shared.includes(name))
        .toSorted(),
    )
    const kept = tablesNaming(others)
    await taskboard.accounts.delete(account.id)
    expect(tablesNaming(ids)).toEqual([])
    expect(database.log.readWorkspace(workspace.id, 0, 10)).toEqual([])
    expect(tablesNaming(others)).toEqual(kept)
  })
})

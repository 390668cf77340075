import type { Taskboard } from '@taskboard/core'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'
import { newSession } from '../storage/access/session-cases.js'
import { PASSWORD } from './login-options.js'
import { type V2Session, SUITE_AGENT_TYPE, type Tenant } from './v2-session.js'

/** One of everything in an account that has an id. */
export interface TenantFixture {
  readonly tenant: Tenant
  /** By the name of the path parameter: `task_id`, `agent_id`. */
  readonly ids: Readonly<Record<string, string>>
}

/** Gives an account one of everything. */
export async function createTenantFixture(
  { taskboard, storage }: V2Session,
  tenant: Tenant,
): Promise<TenantFixture> {
  const { accountId, workspaceId } = tenant
  const task = await taskboard.board(workspaceId).add({ title: 'theirs' })
  const agent = await taskboard.agents.create(workspaceId, { name: 'theirs', type: SUITE_AGENT_TYPE })
  const approvalId = await askForApproval(taskboard, workspaceId, agent.id)
  const webhook = await taskboard.webhooks.register(workspaceId, {
    url: 'https://theirs.example/hook',
    events: ['task.created'],
  })
  const channel = await taskboard.channels.create(workspaceId, {
    type: SUITE_CHANNEL_TYPE,
    name: 'theirs',
    config: { room: 'theirs' },
    events: ['task.created'],
  })
  const schedule = await taskboard
    .board(workspaceId)
    .schedules.create({ cron: '0 9 * * *', task: { title: 'theirs' } })
  const user = await taskboard.accounts.createUser(accountId, {
    email: `member-of-${accountId}@example.com`,
    password: PASSWORD,
  })
  const call = { now: null }
  const session = await storage.sessions.insertSession(newSession(user.id, `family-of-${accountId}`), call)
  const { invitation } = await storage.access.insertInvitation(
    {
      accountId,
      email: `guest-of-${accountId}@example.com`,
      scopes: ['tasks:read'],
      most: 20,
      tokenHash: `guest-of-${accountId}`,
      createdBy: user.id,
      ttlMs: 60_000,
    },
    call,
  )
  const messengers = await linkMessenger(storage, tenant, user.id)
  const key = await taskboard.accounts.createKey({ accountId, name: 'theirs', scopes: ['account:write'] })
  return {
    tenant,
    ids: {
      workspace_id: workspaceId,
      task_id: task.id,
      agent_id: agent.id,
      approval_id: approvalId,
      webhook_id: webhook.id,
      schedule_id: schedule.id,
      channel_id: channel.id,
      key_id: key.id,
      user_id: user.id,
      actor_id: user.id,
      session_id: session.id,
      invitation_id: invitation.id,
      ...messengers,
    },
  }
}

/** A linked account and a connected conversation of a messenger. */
async function linkMessenger(
  { bots }: V2Session['storage'],
  { accountId, workspaceId }: Tenant,
  userId: string,
): Promise<{ readonly messenger_link_id: string; readonly conversation_id: string }> {
  const call = { now: null }
  const shown = { bot: 'suite', externalId: `messenger account of ${userId}`, secretHash: 'secret' }
  const owner = { userId, accountId, timeZone: 'UTC' }
  const codeHash = `code of ${userId}`
  const { id: codeId } = await bots.insertLinkCode({ ...owner, codeHash, ttlMs: 60_000 }, call)
  await bots.offerLink({ codeHash, name: 'theirs', ...shown }, call)
  const link = await bots.settleLink({ codeId, ...shown, accepts: true, most: 5 }, call)
  const conversation = { bot: 'suite', externalId: `conversation of ${accountId}`, title: 'theirs' }
  const connected = await bots.connectConversation(
    { ...conversation, workspaceId, accountId, connectedBy: userId, most: 100 },
    call,
  )
  return { messenger_link_id: link?.id ?? '', conversation_id: connected.id }
}

/** A pending approval of another task. */
async function askForApproval(taskboard: Taskboard, workspaceId: string, agentId: string): Promise<string> {
  const board = taskboard.board(workspaceId)
  await board.add({ title: 'theirs, waiting', priority: 'urgent' })
  const claimed = await board.claim({ agentId })
  if (claimed?.lease == null) throw new Error('nothing was claimed')
  const { fencingToken } = claimed.lease
  const { approval } = await board.requestApproval(claimed.id, {
    fencingToken,
    action: 'refund',
    summary: 'Refund order 7',
    input: { order: 7 },
  })
  return approval.id
}

/** Everything that the storage has of an account, including its events. */
export async function snapshotOf(
  { taskboard, storage }: V2Session,
  { tenant: { accountId, workspaceId }, ids }: TenantFixture,
): Promise<object> {
  const at = { now: null }
  return {
    task: (
      await storage.tasks.getTask({ within: workspaceId, taskId: ids['task_id'] ?? '', parts: ['task'] }, at)
    ).task,
    events: await storage.events.readEvents({ workspaceId, afterSeq: 0, limit: 1_000 }, { now: null }),
    approvals: await taskboard.approvals.search({ accountId, workspaceIds: 'all' }),
    agents: await taskboard.agents.list(workspaceId),
    webhooks: await taskboard.webhooks.list(workspaceId),
    deliveries: await taskboard.webhooks.deliveries(workspaceId, ids['webhook_id'] ?? ''),
    schedules: await taskboard.board(workspaceId).schedules.list(),
    channels: await taskboard.channels.list(workspaceId),
    budgets: await taskboard.usage.budgets(workspaceId),
    keys: await taskboard.accounts.listKeys(accountId),
    users: await taskboard.accounts.listUsers(accountId),
    sessions: await storage.sessions.listSessions({ userId: ids['user_id'] ?? '' }, at),
    invitations: await storage.access.listInvitations({ accountId }, at),
    messengers: await storage.bots.listLinks({ accountId, userId: ids['user_id'] ?? '' }, at),
    conversations: await storage.bots.listConversations({ within: { accountId, workspaceIds: 'all' } }, at),
    workspaces: await taskboard.accounts.listWorkspaces(accountId),
  }
}

import { TaskboardError } from '@taskboard/core'
import type { BotStore, CallContext, ConnectedConversation, ConversationQuery } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../database/reach.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

type Call = CallContext<PgConnection>

const columns = (a: string): string =>
  `${a}.id, ${a}.bot, ${a}.external_id as "externalId", ${a}.title, ${a}.workspace_id as "workspaceId",
    ${a}.account_id as "accountId", ${a}.connected_by as "connectedBy", ${a}.created_at::float8 as "createdAt", ${a}.failure`

/** A lock that does not block rows that only reference the workspace. */
const lockWorkspace = statement<object>(
  'lock_workspace_of_conversation',
  /* sql */ `
  select w.id from taskboard.every_workspace w
  where w.id = $1::text and w.account_id = $2::text and not w.deleting for no key update`,
)

/** Workspace, bot, conversation. Those that are not this one. */
const countOthers = statement<{ readonly count: number }>(
  'count_conversations',
  /* sql */ `
  select count(*)::float8 as count from taskboard.bot_conversation c
  where c.workspace_id = $1::text and (c.bot, c.external_id) <> ($2::text, $3::text)`,
)

/** Present, id, bot, conversation, title, workspace, account, user. */
const connect = statement<ConnectedConversation>(
  'connect_conversation',
  /* sql */ `
  insert into taskboard.bot_conversation as c
    (id, bot, external_id, title, workspace_id, account_id, connected_by, created_at)
  values ($2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, coalesce($1::bigint, taskboard.now_ms()))
  on conflict (bot, external_id) do update set
    title = excluded.title, workspace_id = excluded.workspace_id, connected_by = excluded.connected_by, failure = null
  where c.account_id = excluded.account_id
  returning ${columns('c')}`,
)

/** `BotStore.connectConversation`. */
export function connectConversation(
  database: Database,
  given: Parameters<BotStore['connectConversation']>[0],
  call: Call,
): Promise<ConnectedConversation> {
  const { bot, externalId, title, workspaceId, accountId, connectedBy, most } = given
  return database.atomically(call, async (session) => {
    const locked = await session.run(lockWorkspace, [workspaceId, accountId])
    if (locked.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace')
    const [others] = await session.run(countOthers, [workspaceId, bot, externalId])
    if ((others?.count ?? 0) >= most) {
      throw new TaskboardError('CONFLICT', `a workspace has at most ${most} connected conversations`)
    }
    const id = database.settings.current.newId('mcv')
    const values = [call.now, id, bot, externalId, title, workspaceId, accountId, connectedBy]
    const [connected] = await session.run(connect, values)
    if (connected === undefined) {
      throw new TaskboardError('FORBIDDEN', 'another account has connected this conversation')
    }
    return connected
  })
}

const byExternalId = statement<ConnectedConversation>(
  'get_conversation',
  /* sql */ `
  select ${columns('c')} from taskboard.bot_conversation c where c.bot = $1::text and c.external_id = $2::text`,
)

const withinCaller = statement<ConnectedConversation>(
  'list_conversations',
  /* sql */ `
  select ${columns('c')} from taskboard.bot_conversation c join taskboard.workspace s on s.id = c.workspace_id
  where ${withinReach('s', 1)} and ($3::text is null or c.id = $3::text) order by c.id`,
)

/** `BotStore.listConversations`. */
export function listConversations(
  database: Database,
  query: ConversationQuery,
  call: Call,
): Promise<readonly ConnectedConversation[]> {
  return 'bot' in query
    ? database.read(call, byExternalId, [query.bot, query.externalId])
    : database.read(call, withinCaller, [...reachValues(query.within), query.conversationId ?? null])
}

/** Reach, id. */
const remove = statement<ConnectedConversation>(
  'delete_conversation',
  /* sql */ `
  delete from taskboard.bot_conversation c using taskboard.workspace s
  where s.id = c.workspace_id and ${withinReach('s', 1)} and c.id = $3::text returning ${columns('c')}`,
)

/** Bot, conversation. */
const removeMessages = statement<object>(
  'delete_messages_of_conversation',
  /* sql */ `delete from taskboard.bot_message m where m.bot = $1::text and m.conversation_id = $2::text`,
)

/** `BotStore.deleteConversation`. */
export function deleteConversation(
  database: Database,
  { within, conversationId }: Parameters<BotStore['deleteConversation']>[0],
  call: Call,
): Promise<boolean> {
  return database.atomically(call, async (session) => {
    const [gone] = await session.run(remove, [...reachValues(within), conversationId])
    if (gone === undefined) return false
    await session.run(removeMessages, [gone.bot, gone.externalId])
    return true
  })
}

const disable = statement<ConnectedConversation>(
  'disable_conversation',
  /* sql */ `
  update taskboard.bot_conversation c set failure = $3::text
  where c.bot = $1::text and c.external_id = $2::text and c.failure is null returning ${columns('c')}`,
)

/** `BotStore.disableConversation`. */
export function disableConversation(
  database: Database,
  { bot, externalId, failure }: Parameters<BotStore['disableConversation']>[0],
  call: Call,
): Promise<ConnectedConversation | null> {
  return database.atomically(call, async (session) => {
    const [disabled] = await session.run(disable, [bot, externalId, failure])
    await session.run(removeMessages, [bot, externalId])
    return disabled ?? null
  })
}

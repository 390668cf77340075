import { TaskboardError } from '@taskboard/core'
import type {
  BotStore,
  CallContext,
  ClaimedMessage,
  MessagePlace,
  MessageQuery,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

type Call = CallContext<PgConnection>

const columns = (a: string): string =>
  `${a}.id, ${a}.bot, ${a}.conversation_id as "conversationId", ${a}.reply_to as "replyTo", ${a}.workspace_id as "workspaceId",
    ${a}.task_id as "taskId", ${a}.user_id as "userId", ${a}.time_zone as "timeZone", ${a}.ref,
    case when ${a}.ended then 'ended' else 'live' end as state, ${a}.shown, ${a}.offer, ${a}.failures,
    ${a}.created_at::float8 as "createdAt"`

/** One placing at a time in a conversation, so that its limit holds. Two conversations with one number wait without need. */
const lockConversation = statement<object>(
  'lock_conversation',
  /* sql */ `select pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))`,
)

/** Present, bot, conversation, task, how many others stay live. */
const endOthers = statement<object>(
  'end_messages',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  leaving as (
    select r.id from (
      select m.id, m.task_id, row_number() over (order by m.task_id = $4::text, m.id desc) as place
      from taskboard.bot_message m
      where m.bot = $2::text and m.conversation_id = $3::text and not m.ended
    ) r where r.task_id = $4::text or r.place > $5::integer
  )
  update taskboard.bot_message m set
    ended = true, marks = m.marks + 1,
    due_at = case when m.claim_token is not null and m.due_at > p.now then m.due_at else greatest(p.now, m.not_before) end
  from p, leaving where m.id = leaving.id`,
)

/** Present, id, bot, conversation, reply, workspace, task, user, time zone. */
const insert = statement<MessagePlace>(
  'place_message',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.bot_message as m
    (id, bot, conversation_id, reply_to, workspace_id, task_id, user_id, time_zone, created_at, due_at, not_before)
  select $2::text, $3::text, $4::text, $5::text, w.id, $7::text, $8::text, $9::text, p.now, p.now, p.now
  from p, taskboard.workspace w where w.id = $6::text
  returning ${columns('m')}`,
)

/** `BotStore.placeMessage`. */
export function placeMessage(
  database: Database,
  given: Parameters<BotStore['placeMessage']>[0],
  call: Call,
): Promise<MessagePlace> {
  const { bot, conversationId, replyTo, workspaceId, taskId, userId, timeZone, most } = given
  return database.atomically(call, async (session) => {
    await session.run(lockConversation, [bot, conversationId])
    await session.run(endOthers, [call.now, bot, conversationId, taskId, most - 1])
    const id = database.settings.current.newId('mms')
    const values = [call.now, id, bot, conversationId, replyTo, workspaceId, taskId, userId, timeZone]
    const [placed] = await session.run(insert, values)
    if (placed === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
    return placed
  })
}

const byId = statement<MessagePlace>(
  'get_message',
  /* sql */ `select ${columns('m')} from taskboard.bot_message m where m.id = $1::text`,
)

const byRef = statement<MessagePlace>(
  'find_message',
  /* sql */ `
  select ${columns('m')} from taskboard.bot_message m
  where m.bot = $1::text and m.conversation_id = $2::text and m.ref = $3::text order by m.id desc limit 1`,
)

const ofConversation = statement<MessagePlace>(
  'list_messages',
  /* sql */ `
  select ${columns('m')} from taskboard.bot_message m
  where m.bot = $1::text and m.conversation_id = $2::text and not m.ended order by m.id desc`,
)

/** `BotStore.listMessages`. */
export function listMessages(
  database: Database,
  query: MessageQuery,
  call: Call,
): Promise<readonly MessagePlace[]> {
  if ('id' in query) return database.read(call, byId, [query.id])
  const { bot, conversationId } = query
  return 'ref' in query
    ? database.read(call, byRef, [bot, conversationId, query.ref])
    : database.read(call, ofConversation, [bot, conversationId])
}

/** Present, bots, tasks or null. */
const mark = statement<object>(
  'mark_messages',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.bot_message m set
    marks = m.marks + 1,
    due_at = case when m.claim_token is not null and m.due_at > p.now then m.due_at else greatest(p.now, m.not_before) end
  from p where m.bot = any ($2::text[]) and ($3::text[] is null or m.task_id = any ($3::text[]))`,
)

/** `BotStore.markMessages`. It signals no commit: who marks claims next. */
export async function markMessages(
  database: Database,
  { bots, taskIds }: Parameters<BotStore['markMessages']>[0],
  call: Call,
): Promise<void> {
  await database.read(call, mark, [call.now, bots, taskIds])
}

type ClaimRow = { readonly nextDueInMs: number | null } & (ClaimedMessage | { readonly id: null })

/** Present, bots, limit, claim's length. */
const claim = statement<ClaimRow>(
  'claim_messages',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  due as materialized (
    select m.id from taskboard.bot_message m
    where m.bot = any ($2::text[]) and m.due_at <= (select now from p)
    order by m.due_at, m.id limit $3::integer for update skip locked
  ),
  claimed as (
    update taskboard.bot_message m set claim_token = gen_random_uuid()::text, due_at = p.now + $4::bigint
    from p, due where m.id = due.id
    returning ${columns('m')}, m.claim_token as "claimToken", m.marks::float8 as marks, m.due_at
  ),
  next_due as (
    select least(
      (select min(due_at) from claimed),
      (select min(m.due_at) from taskboard.bot_message m
        where m.bot = any ($2::text[]) and m.due_at is not null and m.id not in (select id from due))
    ) as at
  )
  select (n.at - least(n.at, (select now from p)))::float8 as "nextDueInMs", c.*
  from next_due n left join claimed c on true order by c.id`,
)

/** `BotStore.claimMessages`. */
export async function claimMessages(
  database: Database,
  { bots, limit, claimMs }: Parameters<BotStore['claimMessages']>[0],
  call: Call,
): ReturnType<BotStore['claimMessages']> {
  const rows = await database.read(call, claim, [call.now, bots, limit, claimMs])
  const messages = rows.flatMap((row) => (row.id === null ? [] : [toClaimed(row)]))
  return { messages, nextDueInMs: rows[0]?.nextDueInMs ?? null }
}

function toClaimed(row: ClaimedMessage & Partial<Record<'nextDueInMs' | 'due_at', unknown>>): ClaimedMessage {
  const { nextDueInMs: _next, due_at: _due, ...claimed } = row
  return claimed
}

/** Id, token, offer. */
const offer = statement<object>(
  'offer_buttons',
  /* sql */ `
  update taskboard.bot_message m set offer = $3::jsonb
  where m.id = $1::text and m.claim_token = $2::text returning m.id`,
)

/** `BotStore.offerButtons`. */
export async function offerButtons(
  database: Database,
  { id, claimToken, offer: made }: Parameters<BotStore['offerButtons']>[0],
  call: Call,
): Promise<boolean> {
  const values = [id, claimToken, made === null ? null : JSON.stringify(made)]
  return (await database.read(call, offer, values)).length > 0
}

/** Present, id, token, marks, outcome, ref, shown, wait, when again. */
const settle = statement<object>(
  'settle_message',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.bot_message m set
    claim_token = null,
    ref = coalesce($6::text, m.ref),
    shown = coalesce($7::text, m.shown),
    failures = case $5::text when 'sent' then 0 when 'later' then m.failures else m.failures + 1 end,
    not_before = p.now + $8::bigint,
    due_at = p.now + case when $5::text <> 'sent' or m.marks > $4::integer then $8::bigint else $9::bigint end
  from p where m.id = $2::text and m.claim_token = $3::text returning m.id`,
)

const forget = statement<object>(
  'forget_message',
  /* sql */ `delete from taskboard.bot_message m where m.id = $1::text and m.claim_token = $2::text returning m.id`,
)

/** `BotStore.settleMessage`. */
export async function settleMessage(
  database: Database,
  { id, claimToken, marks, outcome, ref, shown, waitMs, againInMs }: Parameters<BotStore['settleMessage']>[0],
  call: Call,
): Promise<boolean> {
  if (outcome === 'gone') return (await database.read(call, forget, [id, claimToken])).length > 0
  const values = [call.now, id, claimToken, marks, outcome, ref ?? null, shown ?? null, waitMs, againInMs]
  return (await database.read(call, settle, values)).length > 0
}

import type { BotStore, CallContext } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import {
  connectConversation,
  deleteConversation,
  disableConversation,
  listConversations,
} from './bot-conversations.js'
import { deleteLink, insertLinkCode, listLinks, offerLink, settleLink } from './bot-links.js'
import {
  claimMessages,
  listMessages,
  markMessages,
  offerButtons,
  placeMessage,
  settleMessage,
} from './bot-messages.js'

type Call = CallContext<PgConnection>

/** Present, bot, update, position. One that another transaction is about to take is waited for. */
const take = statement<object>(
  'take_update',
  /* sql */ `
  with moved as (
    insert into taskboard.bot_polling as b (bot, position, held_until)
    select $2::text, $4::bigint, 0 where $4::bigint is not null
    on conflict (bot) do update set position = greatest(b.position, excluded.position)
  )
  insert into taskboard.bot_update (bot, update_id, taken_at)
  values ($2::text, $3::text, coalesce($1::bigint, taskboard.now_ms()))
  on conflict (bot, update_id) do nothing returning true as "isNew"`,
)

/** `BotStore.takeUpdate`. */
async function takeUpdate(
  database: Database,
  { bot, updateId, position }: Parameters<BotStore['takeUpdate']>[0],
  call: Call,
): Promise<boolean> {
  return (await database.write(call, take, [call.now, bot, updateId, position])).length > 0
}

/** Present, bot, holder, lease. */
const hold = statement<{ readonly isHeld: boolean; readonly position: number }>(
  'hold_polling',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.bot_polling as b (bot, position, holder, held_until)
  select $2::text, 0, $3::text, p.now + $4::bigint from p
  on conflict (bot) do update set
    holder = case when b.holder = excluded.holder or b.held_until <= (select now from p) then excluded.holder else b.holder end,
    held_until = case when b.holder = excluded.holder or b.held_until <= (select now from p)
      then excluded.held_until else b.held_until end
  returning b.holder = $3::text as "isHeld", b.position::float8 as position`,
)

/** `BotStore.holdPolling`. */
async function holdPolling(
  database: Database,
  { bot, holder, leaseMs }: Parameters<BotStore['holdPolling']>[0],
  call: Call,
): ReturnType<BotStore['holdPolling']> {
  const [row] = await database.read(call, hold, [call.now, bot, holder, leaseMs])
  return row ?? { isHeld: false, position: 0 }
}

/** What bots of messengers need to know. */
export function createBotStore(database: Database): BotStore<PgConnection> {
  return {
    takeUpdate: (update, call) => takeUpdate(database, update, call),
    holdPolling: (lease, call) => holdPolling(database, lease, call),
    insertLinkCode: (code, call) => insertLinkCode(database, code, call),
    offerLink: (offer, call) => offerLink(database, offer, call),
    settleLink: (settled, call) => settleLink(database, settled, call),
    listLinks: (query, call) => listLinks(database, query, call),
    deleteLink: (named, call) => deleteLink(database, named, call),
    connectConversation: (connection, call) => connectConversation(database, connection, call),
    listConversations: (query, call) => listConversations(database, query, call),
    deleteConversation: (named, call) => deleteConversation(database, named, call),
    disableConversation: (fault, call) => disableConversation(database, fault, call),
    placeMessage: (placed, call) => placeMessage(database, placed, call),
    listMessages: (query, call) => listMessages(database, query, call),
    markMessages: (marked, call) => markMessages(database, marked, call),
    claimMessages: (request, call) => claimMessages(database, request, call),
    offerButtons: (offered, call) => offerButtons(database, offered, call),
    settleMessage: (settled, call) => settleMessage(database, settled, call),
  }
}

import { TaskboardError } from '@taskboard/core'
import type { BotStore, CallContext, LinkCode, LinkQuery, MessengerLink } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

type Call = CallContext<PgConnection>

/** Of the user of a link that is `gone`: the cards in conversations that are not connected, which are direct ones. */
function removeCards(): string {
  return /* sql */ `
    delete from taskboard.bot_message m using gone, taskboard.every_workspace w
    where w.account_id = gone.account_id and m.workspace_id = w.id and m.bot = gone.bot and m.user_id = gone.user_id
      and not exists (
        select from taskboard.bot_conversation c where c.bot = m.bot and c.external_id = m.conversation_id
      )`
}

const linkColumns = (a: string): string =>
  `${a}.id, ${a}.bot, ${a}.external_id as "externalId", ${a}.name, ${a}.user_id as "userId", ${a}.account_id as "accountId",
    ${a}.time_zone as "timeZone", ${a}.created_at::float8 as "createdAt"`

const codeColumns = (a: string): string =>
  `${a}.id, ${a}.user_id as "userId", ${a}.account_id as "accountId", ${a}.time_zone as "timeZone",
    ${a}.expires_at::float8 as "expiresAt"`

/** Present, id, hash, user, account, time zone, lifetime. */
const insertCode = statement<LinkCode>(
  'insert_link_code',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  earlier as (delete from taskboard.bot_link_code where account_id = $5::text and user_id = $4::text)
  insert into taskboard.bot_link_code as c (id, code_hash, user_id, account_id, time_zone, expires_at)
  select $2::text, $3::text, $4::text, a.id, $6::text, p.now + $7::bigint from p, taskboard.account a where a.id = $5::text
  returning ${codeColumns('c')}`,
)

/** `BotStore.insertLinkCode`. */
export async function insertLinkCode(
  database: Database,
  { codeHash, userId, accountId, timeZone, ttlMs }: Parameters<BotStore['insertLinkCode']>[0],
  call: Call,
): Promise<LinkCode> {
  const id = database.settings.current.newId('mlc')
  const values = [call.now, id, codeHash, userId, accountId, timeZone, ttlMs]
  const [code] = await database.write(call, insertCode, values)
  if (code === undefined) throw new TaskboardError('NOT_FOUND', 'no such account')
  return code
}

/** Present, hash, bot, messenger account, name, secret. */
const offerCode = statement<LinkCode>(
  'offer_link',
  /* sql */ `
  update taskboard.bot_link_code c
  set bot = $3::text, external_id = $4::text, name = $5::text, secret_hash = $6::text
  where c.code_hash = $2::text and c.secret_hash is null and c.expires_at > coalesce($1::bigint, taskboard.now_ms())
  returning ${codeColumns('c')}`,
)

/** `BotStore.offerLink`. */
export async function offerLink(
  database: Database,
  { codeHash, bot, externalId, name, secretHash }: Parameters<BotStore['offerLink']>[0],
  call: Call,
): Promise<LinkCode | null> {
  const values = [call.now, codeHash, bot, externalId, name, secretHash]
  return (await database.write(call, offerCode, values))[0] ?? null
}

/** Present, code, bot, messenger account, secret. */
const takeCode = statement<LinkCode & { readonly name: string }>(
  'take_link_code',
  /* sql */ `
  delete from taskboard.bot_link_code c
  where c.id = $2::text and c.bot = $3::text and c.external_id = $4::text and c.secret_hash = $5::text
    and c.expires_at > coalesce($1::bigint, taskboard.now_ms())
  returning ${codeColumns('c')}, c.name`,
)

const lockAccount = statement<object>(
  'lock_account_of_link',
  /* sql */ `select a.id from taskboard.account a where a.id = $1::text for no key update`,
)

/** Bot, messenger account, the user who gets it. Its account may be another one, and has to take writes. */
const endEarlier = statement<object>(
  'end_earlier_link',
  /* sql */ `
  with ended as (
    delete from taskboard.bot_link l where l.bot = $1::text and l.external_id = $2::text
    returning l.bot, l.user_id, l.account_id
  ),
  gone as (select e.* from ended e where e.user_id <> $3::text),
  cards as (${removeCards()})
  select 1 from ended`,
)

/** Present, id, bot, messenger account, name, user, account, time zone. */
const insertLink = statement<MessengerLink>(
  'insert_link',
  /* sql */ `
  insert into taskboard.bot_link as l (id, bot, external_id, name, user_id, account_id, time_zone, created_at)
  values ($2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, coalesce($1::bigint, taskboard.now_ms()))
  on conflict (bot, external_id) do update set
    id = excluded.id, name = excluded.name, user_id = excluded.user_id, account_id = excluded.account_id,
    time_zone = excluded.time_zone, created_at = excluded.created_at
  returning ${linkColumns('l')}`,
)

/** `BotStore.settleLink`. The account is locked, so that two codes of a user count each other's link. */
export function settleLink(
  database: Database,
  { codeId, bot, externalId, secretHash, accepts, most }: Parameters<BotStore['settleLink']>[0],
  call: Call,
): Promise<MessengerLink | null> {
  return database.atomically(call, async (session) => {
    const [code] = await session.run(takeCode, [call.now, codeId, bot, externalId, secretHash])
    if (code === undefined || !accepts) return null
    const { userId, accountId, timeZone, name } = code
    await session.run(lockAccount, [accountId])
    const held = await session.run(linksOfUser, [accountId, userId])
    const others = held.filter((link) => link.bot !== bot || link.externalId !== externalId)
    if (others.length >= most) {
      throw new TaskboardError('CONFLICT', `a user has at most ${most} linked accounts: unlink another one`)
    }
    const id = database.settings.current.newId('mln')
    const values = [call.now, id, bot, externalId, name, userId, accountId, timeZone]
    await session.run(endEarlier, [bot, externalId, userId])
    const [link] = await session.run(insertLink, values)
    return link ?? null
  })
}

const linkOfAccount = statement<MessengerLink>(
  'get_link',
  /* sql */ `
  select ${linkColumns('l')} from taskboard.bot_link l where l.bot = $1::text and l.external_id = $2::text`,
)

const linksOfUser = statement<MessengerLink>(
  'list_links',
  /* sql */ `
  select ${linkColumns('l')} from taskboard.bot_link l
  where l.account_id = $1::text and l.user_id = $2::text order by l.id`,
)

/** `BotStore.listLinks`. */
export function listLinks(
  database: Database,
  query: LinkQuery,
  call: Call,
): Promise<readonly MessengerLink[]> {
  return 'bot' in query
    ? database.read(call, linkOfAccount, [query.bot, query.externalId])
    : database.read(call, linksOfUser, [query.accountId, query.userId])
}

/** Account, user, link. The cards in the direct conversations of the user go with it. */
const removeLink = statement<object>(
  'delete_link',
  /* sql */ `
  with gone as (
    delete from taskboard.bot_link l
    where l.account_id = $1::text and l.user_id = $2::text and l.id = $3::text returning l.bot, l.user_id, l.account_id
  ),
  cards as (${removeCards()})
  select true as "isDeleted" from gone`,
)

/** `BotStore.deleteLink`. */
export async function deleteLink(
  database: Database,
  { accountId, userId, linkId }: Parameters<BotStore['deleteLink']>[0],
  call: Call,
): Promise<boolean> {
  return (await database.write(call, removeLink, [accountId, userId, linkId])).length > 0
}

import { type Instant, TaskboardError } from '@taskboard/core'
import { type BotStore, type LinkCode, type MessengerLink, readOnlyRefusal } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { isWithin } from '../tables/reach.js'
import type { LinkCodeRow } from '../tables/bot-rows.js'
import type { Pruned } from '../tables/prune.js'
import type { MemoryTransaction } from '../tables/transactions.js'
import { createMessages } from './bot-messages.js'

type Store = BotStore<MemoryTransaction>
type Part<Verb extends keyof Store> = Pick<Store, Verb>

/** What a messenger's account or conversation is found by. */
const externalKey = (bot: string, externalId: string): string => `${bot} ${externalId}`

const codeOf = ({ id, userId, accountId, timeZone, expiresAt }: LinkCodeRow): LinkCode => ({
  id,
  userId,
  accountId,
  timeZone,
  expiresAt,
})

function createUpdates({ tables, transactions }: Database): Part<'takeUpdate' | 'holdPolling'> {
  const { botUpdates, botPolling } = tables
  return {
    takeUpdate: ({ bot, updateId, position }, call) =>
      transactions.write(call, (now) => {
        const polled = botPolling.get(bot)
        if (position !== null) {
          const rest = polled ?? { holder: null, heldUntil: 0, position: 0 }
          botPolling.set(bot, { ...rest, position: Math.max(rest.position, position) })
        }
        const key = externalKey(bot, updateId)
        if (botUpdates.get(key) !== undefined) return false
        botUpdates.set(key, now)
        return true
      }),
    holdPolling: ({ bot, holder, leaseMs }, call) =>
      transactions.write(call, (now) => {
        const { position = 0, ...polled } = botPolling.get(bot) ?? { holder: null, heldUntil: 0 }
        const isHeld = polled.holder === holder || polled.heldUntil <= now
        if (isHeld) botPolling.set(bot, { position, holder, heldUntil: now + leaseMs })
        return { isHeld, position }
      }),
  }
}

type LinkVerb = 'insertLinkCode' | 'offerLink' | 'settleLink' | 'listLinks' | 'deleteLink'

function createLinks(
  { tables, transactions, settings }: Database,
  forgetDirect: (link: MessengerLink) => void,
): Part<LinkVerb> {
  const { botLinks, botLinkCodes } = tables
  const { read, write } = transactions

  /** Removes a link, and with it the access of its user to direct conversations, unless the new link has the same user. */
  function end(key: string, heirId: string | null): void {
    const link = botLinks.get(key)
    if (link === undefined) return
    requireWritable(tables, link.accountId)
    botLinks.delete(key)
    if (link.userId !== heirId) forgetDirect(link)
  }

  return {
    insertLinkCode: ({ codeHash, userId, accountId, timeZone, ttlMs }, call) =>
      write(call, (now) => {
        if (tables.accounts.get(accountId) === undefined)
          throw new TaskboardError('NOT_FOUND', 'no such account')
        for (const earlier of botLinkCodes.values()) {
          if (earlier.accountId === accountId && earlier.userId === userId) botLinkCodes.delete(earlier.id)
        }
        const id = settings.current.newId('mlc')
        const code = { id, userId, accountId, timeZone, expiresAt: now + ttlMs }
        botLinkCodes.set(id, { ...code, codeHash, offer: null })
        return code
      }),
    offerLink: ({ codeHash, ...offer }, call) =>
      write(call, (now) => {
        const found = [...botLinkCodes.values()].find((each) => each.codeHash === codeHash)
        if (found === undefined || found.offer !== null || found.expiresAt <= now) return null
        botLinkCodes.set(found.id, { ...found, offer })
        return codeOf(found)
      }),
    settleLink: ({ codeId, bot, externalId, secretHash, accepts, most }, call) =>
      write(call, (now) => {
        const code = botLinkCodes.get(codeId)
        if (code === undefined || !isOffered(code, { bot, externalId, secretHash }, now)) return null
        botLinkCodes.delete(codeId)
        if (!accepts) return null
        const { userId, accountId, timeZone } = code
        const key = externalKey(bot, externalId)
        const others = linksOf(tables, accountId, userId).filter(
          (link) => externalKey(link.bot, link.externalId) !== key,
        )
        if (others.length >= most) {
          throw new TaskboardError(
            'CONFLICT',
            `a user has at most ${most} linked accounts: unlink another one`,
          )
        }
        const id = settings.current.newId('mln')
        const name = code.offer?.name ?? ''
        const link = { id, bot, externalId, name, userId, accountId, timeZone, createdAt: now }
        end(key, userId)
        requireWritable(tables, accountId)
        botLinks.set(key, link)
        return link
      }),
    listLinks: (query, call) =>
      read(call, () => {
        if (!('bot' in query)) return linksOf(tables, query.accountId, query.userId)
        const link = botLinks.get(externalKey(query.bot, query.externalId))
        return link === undefined ? [] : [link]
      }),
    deleteLink: ({ accountId, userId, linkId }, call) =>
      write(call, () => {
        const link = linksOf(tables, accountId, userId).find(({ id }) => id === linkId)
        if (link === undefined) return false
        end(externalKey(link.bot, link.externalId), null)
        return true
      }),
  }
}

function requireWritable({ accounts }: Database['tables'], accountId: string): void {
  if (accounts.get(accountId)?.readOnly === true) throw readOnlyRefusal()
}

function linksOf(
  { botLinks }: Database['tables'],
  accountId: string,
  userId: string,
): readonly MessengerLink[] {
  const own = [...botLinks.values()].filter((link) => link.accountId === accountId && link.userId === userId)
  return own.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function isOffered(
  { offer, expiresAt }: LinkCodeRow,
  shown: { readonly bot: string; readonly externalId: string; readonly secretHash: string },
  now: Instant,
): boolean {
  if (offer === null || expiresAt <= now) return false
  return (['bot', 'externalId', 'secretHash'] as const).every((name) => offer[name] === shown[name])
}

type ConversationVerb =
  | 'connectConversation'
  | 'listConversations'
  | 'deleteConversation'
  | 'disableConversation'

function createConnections(
  database: Database,
  forget: (bot: string, id: string) => void,
): Part<ConversationVerb> {
  const { tables, transactions, settings, readOnly } = database
  const { conversations } = tables
  const { read, write } = transactions

  return {
    connectConversation: ({ most, ...given }, call) =>
      write(call, (now) => {
        const { bot, externalId, workspaceId, accountId } = given
        if (tables.workspaces.get(workspaceId)?.accountId !== accountId) {
          throw new TaskboardError('NOT_FOUND', 'no such workspace')
        }
        const key = externalKey(bot, externalId)
        const present = conversations.get(key)
        const others = [...conversations.entries()].filter(
          ([id, each]) => each.workspaceId === workspaceId && id !== key,
        )
        if (others.length >= most) {
          throw new TaskboardError('CONFLICT', `a workspace has at most ${most} connected conversations`)
        }
        if (present !== undefined && present.accountId !== accountId) {
          throw new TaskboardError('FORBIDDEN', 'another account has connected this conversation')
        }
        readOnly.requireWritable(workspaceId)
        const { id, createdAt } = present ?? { id: settings.current.newId('mcv'), createdAt: now }
        const connected = { id, ...given, createdAt, failure: null }
        conversations.set(key, connected)
        return connected
      }),
    listConversations: (query, call) =>
      read(call, () => {
        if ('bot' in query) {
          const found = conversations.get(externalKey(query.bot, query.externalId))
          return found === undefined ? [] : [found]
        }
        const { within, conversationId } = query
        return [...conversations.values()]
          .filter(({ id }) => conversationId === undefined || id === conversationId)
          .filter(({ workspaceId }) => isWithin(database, within, workspaceId))
          .sort((a, b) => (a.id < b.id ? -1 : 1))
      }),
    deleteConversation: ({ within, conversationId }, call) =>
      write(call, () => {
        const found = [...conversations.values()].find(({ id }) => id === conversationId)
        if (found === undefined || !isWithin(database, within, found.workspaceId)) return false
        readOnly.requireWritable(found.workspaceId)
        conversations.delete(externalKey(found.bot, found.externalId))
        forget(found.bot, found.externalId)
        return true
      }),
    disableConversation: ({ bot, externalId, failure }, call) =>
      write(call, () => {
        forget(bot, externalId)
        const key = externalKey(bot, externalId)
        const found = conversations.get(key)
        if (found === undefined || found.failure !== null) return null
        const disabled = { ...found, failure }
        conversations.set(key, disabled)
        return disabled
      }),
  }
}

/** What bots of messengers need to know. */
export function createBotStore(database: Database): { readonly bots: Store } & Pruned<'pruneBotUpdates'> {
  const { tables, transactions } = database
  const { messages, forget, forgetDirect } = createMessages(database)
  return {
    bots: {
      ...createUpdates(database),
      ...createLinks(database, forgetDirect),
      ...createConnections(database, forget),
      ...messages,
    },
    pruneBotUpdates: ({ olderThanMs, limit }, call) =>
      transactions.write(call, (now) => {
        const old = [...tables.botUpdates.entries()]
          .filter(([, at]) => at < now - olderThanMs)
          .slice(0, limit)
        for (const [key] of old) tables.botUpdates.delete(key)
        const left = limit - old.length
        const over = [...tables.botLinkCodes.values()].filter((code) => code.expiresAt <= now).slice(0, left)
        for (const { id } of over) tables.botLinkCodes.delete(id)
        return old.length + over.length
      }),
  }
}

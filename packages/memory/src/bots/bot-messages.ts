import type { Instant } from '@taskboard/core'
import type { BotStore, MessagePlace, MessengerLink } from '@taskboard/core/storage'
import type { MessageRow } from '../tables/bot-rows.js'
import type { Database } from '../tables/database.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = BotStore<MemoryTransaction>
type PlaceVerb = 'placeMessage' | 'listMessages' | 'markMessages'
type SendVerb = 'claimMessages' | 'offerButtons' | 'settleMessage'

const byId = (a: MessageRow, b: MessageRow): number => (a.place.id < b.place.id ? -1 : 1)

/** A row that has changed, so that it is due, unless it is claimed. */
function marked(row: MessageRow, now: Instant): MessageRow {
  const isClaimed = row.claimToken !== null && row.dueAt !== null && row.dueAt > now
  return { ...row, marks: row.marks + 1, dueAt: isClaimed ? row.dueAt : Math.max(now, row.notBefore) }
}

/** The messages of a conversation, oldest first. */
function inConversation({ tables }: Database, bot: string, conversationId: string): readonly MessageRow[] {
  const isThere = ({ place }: MessageRow) => place.bot === bot && place.conversationId === conversationId
  return [...tables.botMessages.values()].filter(isThere).sort(byId)
}

/** Where the cards of tasks are. */
export function createMessages(database: Database): {
  readonly messages: Pick<Store, PlaceVerb | SendVerb>
  readonly forget: (bot: string, conversationId: string) => void
  /** Forgets the messages of a user in the direct conversations of a bot. */
  readonly forgetDirect: (link: Pick<MessengerLink, 'bot' | 'userId' | 'accountId'>) => void
} {
  return {
    messages: { ...createPlaces(database), ...createSends(database) },
    forget(bot, conversationId) {
      for (const { place } of inConversation(database, bot, conversationId)) {
        database.tables.botMessages.delete(place.id)
      }
    },
    forgetDirect({ bot, userId, accountId }) {
      const { botMessages, conversations, workspaces } = database.tables
      const all = [...conversations.values()].filter((each) => each.bot === bot)
      const connected = new Set(all.map(({ externalId }) => externalId))
      for (const { place } of botMessages.values()) {
        const isOurs = place.bot === bot && place.userId === userId && !connected.has(place.conversationId)
        if (isOurs && workspaces.get(place.workspaceId)?.accountId === accountId) botMessages.delete(place.id)
      }
    },
  }
}

function createPlaces(database: Database): Pick<Store, PlaceVerb> {
  const { transactions, settings } = database
  const { botMessages } = database.tables
  const { read, write } = transactions

  /** The other messages of the task, and the oldest of those that are too many with one more. */
  function endOthers(bot: string, conversationId: string, taskId: string, most: number, now: Instant): void {
    const live = inConversation(database, bot, conversationId).filter(({ place }) => place.state === 'live')
    const others = live.filter(({ place }) => place.taskId !== taskId)
    const tooMany = others.slice(0, Math.max(0, others.length - (most - 1)))
    for (const row of live) {
      if (row.place.taskId !== taskId && !tooMany.includes(row)) continue
      const place: MessagePlace = { ...row.place, state: 'ended' }
      botMessages.set(place.id, { ...marked(row, now), place })
    }
  }

  return {
    placeMessage: ({ most, ...given }, call) =>
      write(call, (now) => {
        const { bot, conversationId, taskId, workspaceId } = given
        database.requireWorkspace(workspaceId)
        database.readOnly.requireWritable(workspaceId)
        endOthers(bot, conversationId, taskId, most, now)
        const unsent = { ref: null, state: 'live', shown: null, offer: null, failures: 0 } as const
        const place: MessagePlace = { id: settings.current.newId('mms'), ...given, ...unsent, createdAt: now }
        const rest = { marks: 1, dueAt: now, notBefore: now, claimToken: null }
        botMessages.set(place.id, { workspaceId, place, ...rest })
        return place
      }),
    listMessages: (query, call) =>
      read(call, () => {
        if ('id' in query) {
          const row = botMessages.get(query.id)
          return row === undefined ? [] : [row.place]
        }
        const all = inConversation(database, query.bot, query.conversationId).map(({ place }) => place)
        return 'ref' in query
          ? all.filter(({ ref }) => ref === query.ref).slice(-1)
          : all.filter(({ state }) => state === 'live').toReversed()
      }),
    markMessages: ({ bots, taskIds }, call) =>
      write(call, (now) => {
        for (const row of botMessages.values()) {
          const isMeant = taskIds === null || taskIds.includes(row.place.taskId)
          if (isMeant && bots.includes(row.place.bot)) botMessages.set(row.place.id, marked(row, now))
        }
      }),
  }
}

function createSends({ tables, transactions, settings }: Database): Pick<Store, SendVerb> {
  const { botMessages } = tables
  const { write } = transactions

  function dueOf(bots: readonly string[], now: Instant): readonly MessageRow[] {
    return [...botMessages.values()]
      .filter(({ place, dueAt }) => bots.includes(place.bot) && dueAt !== null && dueAt <= now)
      .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || byId(a, b))
  }

  function nextDueInMs(bots: readonly string[], now: Instant): number | null {
    const times = [...botMessages.values()].flatMap(({ place, dueAt }) =>
      bots.includes(place.bot) && dueAt !== null ? [dueAt] : [],
    )
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - now)
  }

  function claimed(id: string, claimToken: string): MessageRow | undefined {
    const row = botMessages.get(id)
    return row?.claimToken === claimToken ? row : undefined
  }

  return {
    claimMessages: ({ bots, limit, claimMs }, call) =>
      write(call, (now) => {
        const messages = dueOf(bots, now)
          .slice(0, limit)
          .map((row) => {
            const claimToken = settings.current.newId('mms')
            botMessages.set(row.place.id, { ...row, claimToken, dueAt: now + claimMs })
            return { ...row.place, claimToken, marks: row.marks }
          })
        return { messages, nextDueInMs: nextDueInMs(bots, now) }
      }),
    offerButtons: ({ id, claimToken, offer }, call) =>
      write(call, () => {
        const row = claimed(id, claimToken)
        if (row === undefined) return false
        botMessages.set(id, { ...row, place: { ...row.place, offer } })
        return true
      }),
    settleMessage: ({ id, claimToken, marks, outcome, ref, shown, waitMs, againInMs }, call) =>
      write(call, (now) => {
        const row = claimed(id, claimToken)
        if (row === undefined) return false
        if (outcome === 'gone') {
          botMessages.delete(id)
          return true
        }
        const { place } = row
        const isSent = outcome === 'sent'
        const notBefore = now + waitMs
        const dueAt = !isSent || row.marks > marks ? notBefore : againInMs && now + againInMs
        const failures = isSent ? 0 : place.failures + (outcome === 'failed' ? 1 : 0)
        const changed = { ...place, ref: ref ?? place.ref, shown: shown ?? place.shown, failures }
        botMessages.set(id, { ...row, claimToken: null, notBefore, dueAt, place: changed })
        return true
      }),
  }
}

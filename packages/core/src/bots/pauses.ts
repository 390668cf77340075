import type { Clock, Instant } from '../environment/index.js'

/** Conversations of which a messenger wants fewer requests: it limits each of them, and a bot as a whole. */
export interface Pauses {
  pause(place: Place, waitMs: number): void
  /** How long a conversation must wait; 0 for not at all. */
  waitMs(place: Place): number
  /** How long a bot must wait: two paused conversations show that the bot itself is limited. */
  botWaitMs(bot: string): number
}

interface Place {
  readonly bot: string
  readonly conversationId: string
}

const LEAST_OF_A_BOT = 2

/** Of this process. Others learn from the messenger. */
export function createPauses(clock: Pick<Clock, 'now'>): Pauses {
  const bots = new Map<string, Map<string, Instant>>()

  const leftMs = (until: Instant | undefined): number => Math.max(0, (until ?? 0) - clock.now())

  return {
    pause({ bot, conversationId }, waitMs) {
      const conversations = bots.get(bot) ?? new Map<string, Instant>()
      bots.set(bot, conversations)
      conversations.set(conversationId, clock.now() + waitMs)
    },
    waitMs: ({ bot, conversationId }) => leftMs(bots.get(bot)?.get(conversationId)),
    botWaitMs(bot) {
      const conversations = bots.get(bot) ?? new Map<string, Instant>()
      for (const [id, until] of conversations) if (leftMs(until) === 0) conversations.delete(id)
      return conversations.size < LEAST_OF_A_BOT ? 0 : Math.min(...[...conversations.values()].map(leftMs))
    },
  }
}

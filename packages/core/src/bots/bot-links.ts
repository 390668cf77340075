import { z } from 'zod'
import type { Principal, Reach } from '../access/index.js'
import type { AuditActor, Environment, Instant } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import type { Bot } from './bot.js'
import type { BotStore, ConnectedConversation, MessengerLink } from './bot-store.js'
import { linkCodeDigest } from './link-code.js'

const CODE_MS = 600_000
/** 60 bits, without letters that look like others. */
const CODE_LENGTH = 12
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

const ZONE_RULE = 'must be a time zone such as Europe/Oslo'

/** The input of `createCode`. */
export const linkCodeInput = z.strictObject({
  timeZone: z.string({ error: ZONE_RULE }).max(64, ZONE_RULE).refine(isTimeZone, ZONE_RULE).default('UTC'),
})

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A messenger that the host has a bot for. */
export interface Messenger {
  readonly name: string
  readonly label: string
}

/** A code that links a messenger account, shown this once. */
export interface NewLinkCode {
  /** In groups of four. */
  readonly code: string
  readonly expiresAt: Instant
  /** By the name of the messenger: an address that opens it with the code. */
  readonly addresses: Readonly<Record<string, string>>
}

/** The accounts of messengers that are linked to users, and the conversations that are connected. */
export interface BotLinks {
  readonly messengers: readonly Messenger[]
  /**
   * A code for a user, in the place of an earlier one: valid once, for ten minutes.
   * @throws TaskboardError `CONFLICT` when the host has no bot.
   */
  createCode(user: Principal, input: z.input<typeof linkCodeInput>): Promise<NewLinkCode>
  list(user: Principal): Promise<readonly MessengerLink[]>
  /** @throws TaskboardError `NOT_FOUND`. */
  unlink(user: Principal, linkId: string, by: AuditActor): Promise<void>
  conversations(within: Reach): Promise<readonly ConnectedConversation[]>
  /** @throws TaskboardError `NOT_FOUND`. */
  disconnect(within: Reach, conversationId: string, by: AuditActor): Promise<void>
}

export function createBotLinks<Tx>({
  environment,
  store,
  bots,
}: {
  readonly environment: Environment
  readonly store: BotStore<Tx>
  readonly bots: readonly Bot[]
}): BotLinks {
  return {
    messengers: bots.map(({ name, label }) => ({ name, label })),
    async createCode({ id: userId, accountId }, input) {
      if (bots.length === 0) throw new TaskboardError('CONFLICT', 'this board has no bot in a messenger')
      const { timeZone } = parseInput(linkCodeInput, input)
      const digits = Array.from(environment.random.bytes(CODE_LENGTH), (byte) => DIGITS[byte & 31]).join('')
      const code = [0, 4, 8].map((from) => digits.slice(from, from + 4)).join('-')
      const { expiresAt } = await store.insertLinkCode(
        { userId, accountId, timeZone, codeHash: linkCodeDigest(code), ttlMs: CODE_MS },
        environment.call(),
      )
      const addresses = bots.flatMap((bot) => {
        const address = bot.linkAddress?.(digits) ?? null
        return address === null ? [] : [[bot.name, address] as const]
      })
      return { code, expiresAt, addresses: Object.fromEntries(addresses) }
    },
    list: ({ id: userId, accountId }) => store.listLinks({ accountId, userId }, environment.call()),
    async unlink({ id: userId, accountId }, linkId, by) {
      if (await store.deleteLink({ accountId, userId, linkId }, environment.call({ by }))) return
      throw new TaskboardError('NOT_FOUND', 'no such linked account')
    },
    conversations: (within) => store.listConversations({ within }, environment.call()),
    async disconnect(within, conversationId, by) {
      if (await store.deleteConversation({ within, conversationId }, environment.call({ by }))) return
      throw new TaskboardError('NOT_FOUND', 'no such conversation')
    },
  }
}

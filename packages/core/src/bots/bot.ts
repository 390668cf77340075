import { TaskboardError } from '../errors/index.js'
import type { BotDesk } from './bot-desk.js'
import type { Card } from './card.js'

/** A request of a messenger, with the bytes that its signature is about. */
export interface BotRequest {
  /** Upper case. */
  readonly method: string
  readonly bytes: Uint8Array
  /** One header by its lower-case name; undefined when absent. */
  header(name: string): string | undefined
}

/** The response to a messenger. */
export interface BotResponse {
  readonly status: number
  /** The media type of `body`. */
  readonly type?: string | undefined
  readonly body?: string | undefined
}

/** What became of a message that was to be shown. */
export type ShownCard =
  /** The messenger shows it, in the message `ref`. */
  | { readonly outcome: 'shown'; readonly ref: string }
  /** The messenger wants fewer requests: it is sent after the wait. */
  | { readonly outcome: 'later'; readonly waitMs: number }
  /** The message was deleted in the messenger. */
  | { readonly outcome: 'gone' }
  /** The bot may not write there any more; `reason` says why, to the people of the workspace. */
  | { readonly outcome: 'removed'; readonly reason: string }

/** How a bot speaks with its messenger. `slackBot` and `telegramBot` of `@taskboard/bots` make them. */
export interface Bot {
  /** Its name in the storage: 1 to 30 lowercase letters, digits and hyphens. It never changes. */
  readonly name: string
  /** What people call the messenger. */
  readonly label: string
  /** Where the messenger sends updates, below the path of the mount; null for one that polls. */
  readonly path: string | null
  /** Handles a request from the messenger. Checks first that the messenger sent it. */
  handle(request: BotRequest, desk: BotDesk): Promise<BotResponse>
  /**
   * Called by `start`, and again with growing waits after it throws. `address` is where the messenger reaches `path`, by `publicUrl`.
   */
  open?(opened: { readonly address: string | null; readonly signal: AbortSignal }): Promise<void>
  /**
   * Asks for updates from a position on, and handles each of them with the desk, whose commits move the position. One process polls at a time.
   * Resolves with the wait before the next poll. Ends soon after `signal` aborts.
   */
  poll?(
    polled: { readonly position: number; readonly signal: AbortSignal },
    desk: BotDesk,
  ): Promise<{ readonly waitMs: number }>
  /**
   * Posts a card, or edits the message that shows it. An error that it throws counts as a failure, and the board retries.
   */
  show(card: Card, options: { readonly signal: AbortSignal }): Promise<ShownCard>
  /** Where a user can open the messenger with a code, if it has such addresses. */
  linkAddress?(code: string): string | null
}

const NAME = /^[a-z0-9][a-z0-9-]{0,29}$/
const MEMBERS = ['handle', 'show'] as const

/** @throws TaskboardError `INVALID_CONFIG` (`bots`) for a value that isn't a bot, and for two with one name or path. */
export function checkedBots(bots: readonly Bot[]): readonly Bot[] {
  const isBot = (bot: Bot | null): boolean =>
    bot !== null && typeof bot === 'object' && MEMBERS.every((name) => typeof bot[name] === 'function')
  if (!Array.isArray(bots) || !bots.every(isBot)) {
    throw invalid('must be a list of what slackBot() and telegramBot() of @taskboard/bots return')
  }
  if (!bots.every(({ name }) => NAME.test(name))) throw invalid('need names of lower-case letters and digits')
  for (const values of [bots.map(({ name }) => name), bots.flatMap(({ path }) => path ?? [])]) {
    if (new Set(values).size !== values.length) throw invalid('must have different names and paths')
  }
  return bots
}

function invalid(rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `bots ${rule}`, { field: 'bots' })
}

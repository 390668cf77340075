import {
  createBackgroundLoop,
  createSharedAbort,
  type BackgroundLoop,
  type Environment,
  type NextPass,
} from '../environment/index.js'
import type { LoggedEvent } from '../events/index.js'
import type { Bot, ShownCard } from './bot.js'
import type { BotStore, ClaimedMessage, SettledMessage } from './bot-store.js'
import { buttonToken, type Card, type CardView, newSecret, secretDigest } from './card.js'
import { createPauses, type Pauses } from './pauses.js'

export interface BotSendsDeps<Tx> {
  readonly environment: Environment
  readonly bots: readonly Bot[]
  readonly store: BotStore<Tx>
  readonly view: (message: ClaimedMessage) => Promise<CardView | null>
  /** Says in the workspace that a bot cannot write in a conversation any more. */
  readonly alert: (workspaceId: string, message: string) => Promise<void>
  readonly pollIntervalMs: number | null
}

/** Posts and edits the cards of tasks: at least once, each at most once a second, the newest state alone. */
export interface BotSends {
  start(): void
  /** Requests a look for messages that are due. */
  wake(): void
  /** Notes an event, whose task may have cards. */
  hear(event: LoggedEvent): void
  stop(): Promise<void>
}

const CLAIM_MS = 60_000
const SEND_TIMEOUT_MS = 20_000
const BATCH = 10
/** Messengers want about that. */
const LEAST_BETWEEN_EDITS_MS = 1_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** Then a message is given up. A wait that a messenger asks for doesn't count as a failure. */
const MOST_FAILURES = 20

type Outcome = Pick<SettledMessage, 'outcome' | 'ref' | 'shown' | 'waitMs' | 'againInMs'>

const failedFor = (waitMs: number): Outcome => ({ outcome: 'failed', waitMs, againInMs: null })
const laterBy = (waitMs: number): Outcome => ({ outcome: 'later', waitMs, againInMs: null })
const GONE: Outcome = { outcome: 'gone', waitMs: 0, againInMs: null }

const isSame = (one: CardView['offer'], other: CardView['offer']): boolean =>
  one?.kind === other?.kind && one?.subjectId === other?.subjectId

/** Records what the buttons of a message, and replies to it, do. */
function createOffers<Tx>({ environment, store }: Pick<BotSendsDeps<Tx>, 'environment' | 'store'>) {
  const record = ({ id, claimToken }: ClaimedMessage, offer: CardView['offer'], secret: string) => {
    const made = offer === null ? null : { ...offer, secretHash: secretDigest(secret) }
    return store.offerButtons({ id, claimToken, offer: made }, environment.call())
  }
  return {
    /** Records the effect of buttons before they are shown, as they can be pressed immediately. Null when another process has the message. */
    async withButtons(message: ClaimedMessage, { card, offer }: CardView): Promise<Card | null> {
      if (offer === null || offer.kind === 'question') {
        const isRecorded = message.offer === null || isSame(message.offer, offer)
        return isRecorded || (await record(message, null, '')) ? { ...card, buttons: null } : null
      }
      const secret = newSecret(environment)
      if (!(await record(message, offer, secret))) return null
      const token = (action: 'a' | 'r' | 'u') => buttonToken(message.id, secret, action)
      const buttons =
        offer.kind === 'undo' ? { undo: token('u') } : { approve: token('a'), reject: token('r') }
      return { ...card, buttons }
    },
    /** Records the question that a reply answers after it was shown: a reply before that can't be about it. */
    async recordQuestion(message: ClaimedMessage, { offer }: CardView): Promise<void> {
      if (offer?.kind === 'question' && !isSame(message.offer, offer)) {
        await record(message, offer, newSecret(environment))
      }
    },
  }
}

/** Shows one claimed message. */
function createSender<Tx>(deps: BotSendsDeps<Tx>, pauses: Pauses) {
  const { environment, store } = deps
  const offers = createOffers(deps)

  async function outcomeOf(message: ClaimedMessage, shown: ShownCard, view: CardView): Promise<Outcome> {
    switch (shown.outcome) {
      case 'shown':
        if (message.state === 'ended' || view.card.state === 'deleted') return GONE
        return {
          outcome: 'sent',
          ref: shown.ref,
          shown: view.digest,
          waitMs: LEAST_BETWEEN_EDITS_MS,
          againInMs: view.changesInMs,
        }
      case 'later':
        pauses.pause(message, shown.waitMs)
        return laterBy(shown.waitMs)
      case 'gone':
        return GONE
      case 'removed': {
        const { bot, conversationId: externalId } = message
        const fault = { bot, externalId, failure: shown.reason }
        const disabled = await store.disableConversation(fault, environment.call())
        const where = disabled === null ? 'a direct conversation' : `“${disabled.title}”`
        await deps.alert(message.workspaceId, `${shown.reason}: ${where} gets no more messages`)
        return GONE
      }
    }
  }

  async function show(bot: Bot, message: ClaimedMessage, signal: AbortSignal): Promise<Outcome> {
    const pausedMs = pauses.waitMs(message)
    if (pausedMs > 0) return laterBy(pausedMs)
    const view = await deps.view(message)
    if (view === null) return GONE
    const isOver = message.state === 'ended' || view.card.state === 'deleted'
    // A card that nobody has seen needs no farewell.
    if (isOver && message.ref === null) return GONE
    // What replaces it is posted first, so that it can lead there.
    if (message.state === 'ended' && view.card.state === 'moved' && (await waitsForNewer(message, view))) {
      return laterBy(LEAST_BETWEEN_EDITS_MS)
    }
    if (message.shown === view.digest) {
      return { outcome: 'sent', waitMs: 0, againInMs: view.changesInMs }
    }
    const card = await offers.withButtons(message, view)
    if (card === null) return failedFor(FIRST_RETRY_MS)
    const shown = await bot.show(card, { signal })
    if (shown.outcome === 'shown') await offers.recordQuestion(message, view)
    return outcomeOf(message, shown, view)
  }

  async function waitsForNewer({ bot, conversationId, taskId }: ClaimedMessage, { card }: CardView) {
    if (card.newer !== null) return false
    const live = await store.listMessages({ bot, conversationId }, environment.call())
    return live.some((place) => place.taskId === taskId && place.ref === null)
  }

  return show
}

/** Sends one claimed message, and settles it. */
function createSettler<Tx>(
  { environment, store }: BotSendsDeps<Tx>,
  show: (bot: Bot, message: ClaimedMessage, signal: AbortSignal) => Promise<Outcome>,
) {
  function outcomeOfFault(bot: Bot, { id, workspaceId, failures }: ClaimedMessage, error: unknown): Outcome {
    const isLast = failures + 1 >= MOST_FAILURES
    const fields = { bot: bot.name, workspaceId, messageId: id, failures: failures + 1, err: error }
    if (isLast) environment.logger.error(fields, 'a message of a bot was given up after too many tries')
    else environment.logger.warn(fields, 'a message of a bot failed; retrying')
    return isLast ? GONE : failedFor(Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS))
  }

  return async (bot: Bot, message: ClaimedMessage, stopping: AbortSignal): Promise<void> => {
    const { id, claimToken, marks } = message
    const aborter = new AbortController()
    const stop = (): void => aborter.abort(new Error('the bot stops'))
    stopping.addEventListener('abort', stop, { once: true })
    const timer = environment.clock.setTimer(
      () => aborter.abort(new Error(`no response within ${SEND_TIMEOUT_MS} ms`)),
      SEND_TIMEOUT_MS,
    )
    let outcome: Outcome
    try {
      outcome = await show(bot, message, aborter.signal)
    } catch (error) {
      outcome = outcomeOfFault(bot, message, error)
    } finally {
      timer.cancel()
      stopping.removeEventListener('abort', stop)
    }
    await store.settleMessage({ id, claimToken, marks, ...outcome }, environment.call())
  }
}

export function createBotSends<Tx>(deps: BotSendsDeps<Tx>): BotSends {
  const { environment, bots, store, pollIntervalMs } = deps
  const { clock } = environment
  const byName = new Map(bots.map((bot) => [bot.name, bot]))
  const pauses = createPauses(clock)
  /** The tasks of events whose cards are to be marked; all of them at first, for what happened before. */
  let heard: Set<string> | 'all' = 'all'
  let stopping = createSharedAbort()
  const show = createSender(deps, pauses)
  const send = createSettler(deps, show)

  async function mark(): Promise<void> {
    const marked = heard
    heard = new Set()
    if (marked !== 'all' && marked.size === 0) return
    try {
      const taskIds = marked === 'all' ? null : [...marked]
      await store.markMessages({ bots: [...byName.keys()], taskIds }, environment.call())
    } catch (error) {
      heard = marked === 'all' ? 'all' : new Set([...marked, ...heard])
      throw error
    }
  }

  async function pass(): Promise<NextPass> {
    await mark()
    const waits = [...byName.keys()].map((name) => pauses.botWaitMs(name))
    const ready = [...byName.keys()].filter((_, index) => waits[index] === 0)
    const pausedMs = Math.min(...waits.filter((wait) => wait > 0))
    if (ready.length === 0) return pausedMs
    const request = { bots: ready, limit: BATCH, claimMs: CLAIM_MS }
    const { messages, nextDueInMs } = await store.claimMessages(request, environment.call())
    await Promise.all(
      messages.flatMap((message) => {
        const bot = byName.get(message.bot)
        return bot === undefined ? [] : [send(bot, message, stopping.signal)]
      }),
    )
    if (messages.length > 0) return 'now'
    const nextMs = Math.min(nextDueInMs ?? Infinity, pausedMs)
    return nextMs === Infinity ? null : Math.max(1, nextMs)
  }

  const loop: BackgroundLoop = createBackgroundLoop({
    name: 'bot messages',
    environment,
    pollIntervalMs,
    pass,
  })

  return {
    start() {
      stopping = createSharedAbort()
      heard = 'all'
      loop.start()
    },
    wake: () => loop.wake(),
    hear({ data }) {
      const { taskId } = data as { readonly taskId?: string | null }
      if (taskId == null || heard === 'all') return
      heard.add(taskId)
      loop.wake()
    },
    async stop() {
      stopping.abort()
      await loop.stop()
    },
  }
}

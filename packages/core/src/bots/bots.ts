import type { People } from '../access/index.js'
import type { TaskStore } from '../board/index.js'
import {
  createBackgroundLoop,
  createSharedAbort,
  type BackgroundLoop,
  type Environment,
  type NextPass,
} from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from '../events/index.js'
import type { Bot, BotRequest, BotResponse } from './bot.js'
import { createBotLinks, type BotLinks } from './bot-links.js'
import { createBotSends } from './bot-sends.js'
import type { BotStore, MessagePlace } from './bot-store.js'
import { createCards } from './card.js'
import { createDesk } from './desk.js'
import type { DeskDeps } from './desk-deps.js'

export interface BotsDeps<Tx> extends Omit<DeskDeps<Tx>, 'onChanged'> {
  readonly bots: readonly Bot[]
  readonly taskStore: Pick<TaskStore<Tx>, 'getTask'>
  /** Null without `publicUrl`. */
  readonly publicUrl: string | null
  readonly alert: (workspaceId: string, message: string) => Promise<void>
  readonly pollIntervalMs: number | null
}

/** Where a messenger sends its updates. */
export interface BotRoute {
  readonly path: string
  handle(request: BotRequest): Promise<BotResponse>
}

/** The bots of a board. */
export interface Bots {
  readonly areAny: boolean
  readonly routes: readonly BotRoute[]
  readonly links: BotLinks
  start(): void
  /** Requests a look for messages that are due. */
  wake(): void
  hear(event: LoggedEvent): void
  stop(): Promise<void>
}

const POLL_LEASE_MS = 60_000
const WAIT_FOR_LEASE_MS = 10_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000

/**
 * @throws TaskboardError `INVALID_CONFIG` (`publicUrl`, `people`) when what bots need is missing.
 */
export function createBots<Tx>(deps: BotsDeps<Tx>): Bots {
  const { environment, bots, store, people, publicUrl } = deps
  if (bots.length > 0) {
    people.requireKnown('bots')
    if (publicUrl === null) {
      const rule = 'publicUrl is required for bots, whose messages lead to the dashboard'
      throw new TaskboardError('INVALID_CONFIG', rule, { field: 'publicUrl' })
    }
  }
  const cards = createCards({
    environment,
    tasks: deps.taskStore,
    approvals: deps.approvalStore,
    store,
    maySee: createSight({ environment, store, people }),
    taskUrl: deps.taskUrl,
  })
  const sends = createBotSends({ ...deps, view: (message) => cards.view(message) })
  const desks = bots.map((bot) => ({
    bot,
    desk: createDesk({ ...deps, onChanged: () => sends.wake() }, bot.name),
  }))
  let stopping = createSharedAbort()
  const loops = desks.flatMap((each) => {
    const { bot, desk } = each
    if (bot.open === undefined && bot.poll === undefined) return []
    return [createMessengerLoop({ environment, store, bot, desk, publicUrl, signal: () => stopping.signal })]
  })

  return {
    areAny: bots.length > 0,
    routes: desks.flatMap(({ bot, desk }) =>
      bot.path === null ? [] : [{ path: bot.path, handle: (request) => bot.handle(request, desk) }],
    ),
    links: createBotLinks({ environment, store, bots }),
    start() {
      if (bots.length === 0) return
      stopping = createSharedAbort()
      sends.start()
      for (const loop of loops) loop.start()
    },
    wake: () => sends.wake(),
    hear: (event) => sends.hear(event),
    async stop() {
      stopping.abort()
      await Promise.all([sends.stop(), ...loops.map((loop) => loop.stop())])
    },
  }
}

/** Whether the conversation of a card may still see its task. */
function createSight<Tx>({
  environment,
  store,
  people,
}: {
  readonly environment: Environment
  readonly store: BotStore<Tx>
  readonly people: People
}): (place: MessagePlace) => Promise<boolean> {
  return async ({ bot, conversationId, workspaceId, userId }) => {
    const query = { bot, externalId: conversationId }
    const [connected] = await store.listConversations(query, environment.call())
    if (connected !== undefined) return connected.workspaceId === workspaceId
    try {
      const { accountId } = await people.requireMay(userId, { workspaceId, scope: 'tasks:read' })
      const links = await store.listLinks({ accountId, userId }, environment.call())
      return links.some((link) => link.bot === bot)
    } catch (error) {
      if (isTaskboardError(error, 'FORBIDDEN')) return false
      throw error
    }
  }
}

/** Opens a bot, and polls for it in one process at a time. */
function createMessengerLoop<Tx>({
  environment,
  store,
  bot,
  desk,
  publicUrl,
  signal,
}: {
  readonly environment: Environment
  readonly store: BotStore<Tx>
  readonly bot: Bot
  readonly desk: Parameters<Bot['handle']>[1]
  readonly publicUrl: string | null
  readonly signal: () => AbortSignal
}): BackgroundLoop {
  const holder = environment.newId('proc')
  let isOpen = bot.open === undefined
  let failures = 0

  async function proceed(): Promise<NextPass> {
    if (bot.poll === undefined) {
      const address = bot.path === null ? null : `${publicUrl ?? ''}${bot.path}`
      await bot.open?.({ address, signal: signal() })
      return null
    }
    const lease = { bot: bot.name, holder, leaseMs: POLL_LEASE_MS }
    const { isHeld, position } = await store.holdPolling(lease, environment.call())
    if (!isHeld) return WAIT_FOR_LEASE_MS
    if (!isOpen) await bot.open?.({ address: null, signal: signal() })
    isOpen = true
    const { waitMs } = await bot.poll({ position, signal: signal() }, desk)
    return waitMs === 0 ? 'now' : waitMs
  }

  async function pass(): Promise<NextPass> {
    try {
      const next = await proceed()
      failures = 0
      return next
    } catch (error) {
      if (signal().aborted) return null
      failures += 1
      environment.logger.warn(
        { bot: bot.name, failures, err: error },
        'a messenger could not be reached; retrying',
      )
      return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS)
    }
  }
  return createBackgroundLoop({ name: `bot:${bot.name}`, environment, pollIntervalMs: null, pass })
}

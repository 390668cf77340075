import type { SecretBox } from '../access/index.js'
import { createSharedAbort, type Environment, type Instant } from '../environment/index.js'
import {
  describeEvent,
  type EventLink,
  isNotified,
  type LoggedEvent,
  notificationRetryMs,
  type NotificationRoute,
  type RoutedBatch,
  type StoredChannel,
  toTaskboardEvent,
} from '../events/index.js'
import type { HostRates, Sender } from '../webhooks/index.js'
import { openConfig, MASK } from './channel-config.js'
import { confirmedAt, firstConfirmedAt } from './confirmations.js'
import type { ChannelNotification, NotificationType } from './notification-type.js'

export interface ChannelDeliveryDeps {
  readonly environment: Environment
  readonly types: ReadonlyMap<string, NotificationType>
  readonly secrets: Pick<SecretBox, 'open'>
  readonly sender: Sender
  /** The same that webhooks wait for: a host doesn't care which of the two asks it. */
  readonly rates: Pick<HostRates, 'take'>
  /** Null when the workspace is gone. */
  readonly accountOf: (workspaceId: string) => string | Promise<string | null>
  readonly linkOf: EventLink
  /** The address that decides an event's request as the person of an account with this verified email address, or null. */
  readonly decisionLink: (event: LoggedEvent, accountId: string, email: string) => Promise<string | null>
}

/** A failed delivery. Its message is for the user, without secrets, and it has no cause. */
class ChannelFailure extends Error {
  override readonly name = 'ChannelFailure'
}

/** Its host has had enough for now. The channel isn't to blame. */
class PutOff extends ChannelFailure {
  constructor(readonly waitMs: number) {
    super(`too much is sent to this host; next in ${Math.ceil(waitMs / 1_000)} s`)
  }
}

/** The outcome of a test. */
export interface ChannelTest {
  readonly delivered: boolean
  /** Why not, without secrets; null when it was delivered. */
  readonly error: string | null
  readonly durationMs: number
}

/** Delivers to channels that users set up. */
export interface ChannelDelivery {
  /** The routes of the notifier: two for each type, so that channels that fail delay no others. */
  readonly routes: readonly NotificationRoute[]
  /** Delivers a sample immediately, within 30 s. Never rejects. */
  test(channel: StoredChannel, event: LoggedEvent): Promise<ChannelTest>
}

const CHANNEL_TIMEOUT_MS = 30_000
/** Less, so that the user reads what the sender reports. */
const POST_TIMEOUT_MS = 20_000
const FAILING_CONCURRENCY = 5
const LONGEST_RETRY_DELAY_MS = 900_000
/** About three and a half hours after the first failure, and then every six hours. */
const FAILURES_PER_SKIP = 24
/** Whether a notification waited before isn't known; no new one of a webhook waits for it. */
const WAITING = { createdAt: 0, nextAttemptAt: 1 }

export function createChannelDelivery(deps: ChannelDeliveryDeps): ChannelDelivery {
  const { environment, types } = deps
  const { clock } = environment
  const deliver = createDeliver(deps)
  const begin = createBegin(deps, deliver)

  function routeOf(type: string, failing: boolean): NotificationRoute {
    return {
      name: failing ? `${type}:failing` : type,
      claims: { channels: [], users: { types: [type], failing } },
      concurrency: failing ? FAILING_CONCURRENCY : null,
      claimsEachSend: true,
      begin({ userChannel }) {
        if (userChannel === undefined) throw new Error('a claim lacks its channel')
        return begin(userChannel)
      },
    }
  }

  return {
    routes: [...types.keys()].flatMap((type) => [routeOf(type, false), routeOf(type, true)]),
    async test(channel, event) {
      const startedAt = clock.now()
      const aborter = createSharedAbort()
      const late = new Promise<string>((resolve) => {
        aborter.signal.addEventListener('abort', () => resolve(`no answer within ${CHANNEL_TIMEOUT_MS} ms`))
      })
      const timer = clock.setTimer(() => aborter.abort(), CHANNEL_TIMEOUT_MS)
      const delivery = deliver(channel, event, { signal: aborter.signal, isTest: true }).then(
        () => null,
        (thrown: unknown) => channelError(thrown, []),
      )
      const error = await Promise.race([delivery, late]).finally(() => timer.cancel())
      return { delivered: error === null, error, durationMs: Math.max(0, clock.now() - startedAt) }
    },
  }
}

/** The events of one claim on a channel. */
function createBegin(deps: ChannelDeliveryDeps, deliver: Deliver): (channel: StoredChannel) => RoutedBatch {
  const { logger } = deps.environment

  function startOf(channel: StoredChannel): Instant | null {
    try {
      return firstConfirmedAt(deps.secrets, channel)
    } catch {
      // `deliver` says what cannot be opened.
      return null
    }
  }

  return (channel) => {
    const { id, workspaceId, type } = channel
    const from = startOf(channel)
    let { failures, lastError: error } = channel
    let isSent = false
    let isTried = false
    return {
      // Nobody has agreed to what was before the first yes. Without a yes it is tried, and the owner reads who is missing.
      wants: (event) =>
        isNotified(event) &&
        (channel.events as readonly string[]).includes(event.type) &&
        (from === null || event.at >= from),
      send(event, { signal }) {
        isTried = true
        return deliver(channel, event, { signal, isTest: false })
      },
      sent() {
        isSent = true
        failures = 0
        error = null
      },
      failed({ seq }, thrown) {
        if (thrown instanceof PutOff) {
          isTried = false
          return { isSkipped: false, retryInMs: thrown.waitMs }
        }
        failures += 1
        // A timeout rejects before `deliver` does, with a text of the notifier.
        error = channelError(thrown, [])
        const isSkipped = failures % FAILURES_PER_SKIP === 0
        const fields = { channelId: id, channelType: type, workspaceId, seq, failures, error }
        if (isSkipped) logger.error(fields, 'a notification was skipped after too many tries')
        else logger.warn(fields, 'a notification failed; retrying')
        return { isSkipped, retryInMs: notificationRetryMs(failures, LONGEST_RETRY_DELAY_MS) }
      },
      health: () => (isTried ? { failures, error, isSent } : undefined),
      lost: () => undefined,
    }
  }
}

/** Rejects with a `ChannelFailure` only. */
type Deliver = (
  channel: StoredChannel,
  event: LoggedEvent,
  options: { readonly signal: AbortSignal; readonly isTest: boolean },
) => Promise<void>

function createDeliver(deps: ChannelDeliveryDeps): Deliver {
  const { environment, types, secrets, sender, rates, accountOf, linkOf } = deps

  async function decisionLink(event: LoggedEvent, accountId: string, email: string): Promise<string | null> {
    try {
      return await deps.decisionLink(event, accountId, email)
    } catch (error) {
      environment.logger.warn({ err: error, eventId: event.id }, 'a link that decides could not be made')
      return null
    }
  }

  return async (channel, event, { signal, isTest }) => {
    const type = types.get(channel.type)
    if (type === undefined) throw new ChannelFailure(`the host has no type ${channel.type}`)
    const config = openConfig(secrets, channel)
    let waitMs = 0
    try {
      const accountId = (await accountOf(channel.workspaceId)) ?? channel.workspaceId
      await type.deliver(
        { ...notificationOf(channel, event, isTest), url: isTest ? null : linkOf(event) },
        config,
        {
          signal,
          decisionLink: (recipient) =>
            isTest ? Promise.resolve(null) : decisionLink(event, accountId, recipient),
          isConfirmed: (recipient) => hasConfirmed(secrets, channel, recipient, isTest ? Infinity : event.at),
          async post({ url, headers, body }) {
            waitMs = rates.take({ id: channel.id, accountId, url }, WAITING, environment.clock.now())
            if (waitMs > 0)
              return { kind: 'unanswered', error: 'network', detail: new PutOff(waitMs).message }
            return sender.send({ url, headers, body: Buffer.from(body), timeoutMs: POST_TIMEOUT_MS, signal })
          },
        },
      )
    } catch (error) {
      if (waitMs > 0) throw new PutOff(waitMs)
      const values = Object.keys(channel.secrets).map((member) => config[member])
      throw new ChannelFailure(channelError(error, values))
    }
  }
}

/** Whether a recipient had agreed when it happened. */
function hasConfirmed(
  secrets: Pick<SecretBox, 'open'>,
  channel: StoredChannel,
  recipient: string,
  at: Instant,
): boolean {
  const yesAt = confirmedAt(secrets, channel, recipient)
  return yesAt !== null && yesAt <= at
}

function notificationOf(
  channel: StoredChannel,
  event: LoggedEvent,
  isTest: boolean,
): Omit<ChannelNotification, 'url'> {
  const { workspaceId, id, name } = channel
  const text = describeEvent(event)
  return { workspaceId, channel: { id, name }, event: toTaskboardEvent(event), text, isTest }
}

const LONGEST_ERROR = 300
/** Shorter texts would hide parts of ordinary words. */
const SHORTEST_SECRET = 4
const SHORTEST_PART = 8

/**
 * The reason of a failed delivery, in one line of at most 300 characters for the user: the message of the error, without its secrets.
 */
export function channelError(thrown: unknown, secrets: readonly unknown[]): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  let text = message.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ').trim()
  for (const secret of secretTexts(secrets)) text = text.replaceAll(secret, MASK)
  const characters = Array.from(text.toWellFormed() || 'the delivery failed')
  if (characters.length <= LONGEST_ERROR) return characters.join('')
  return `${characters.slice(0, LONGEST_ERROR - 1).join('')}…`
}

/** The secrets and the parts that reveal them, the longest first: of a URL its path, including as other encodings write it. */
function secretTexts(secrets: readonly unknown[]): readonly string[] {
  const texts = secrets.flatMap(textsIn).flatMap((text) => {
    const parts = text.split(/[/?&=#@:\s]+/).filter((part) => part.length >= SHORTEST_PART)
    return [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), ...tailOf(text), ...parts]
  })
  return [...new Set(texts)]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
}

function tailOf(text: string): readonly string[] {
  if (!URL.canParse(text)) return []
  const { href, pathname, search } = new URL(text)
  return [href, pathname + search, pathname]
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

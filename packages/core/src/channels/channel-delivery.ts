import type { SecretBox } from '../access/index.js'
import { createSharedAbort, type Environment } from '../environment/index.js'
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
import type { Sender } from '../webhooks/index.js'
import { openConfig, MASK } from './channel-config.js'
import { isConfirmed } from './confirmations.js'
import type { ChannelNotification, NotificationType } from './notification-type.js'

export interface ChannelDeliveryDeps {
  readonly environment: Environment
  readonly types: ReadonlyMap<string, NotificationType>
  readonly secrets: Pick<SecretBox, 'open'>
  readonly sender: Sender
  readonly linkOf: EventLink
}

/** A failed delivery. Its message is for the user, without secrets, and it has no cause. */
class ChannelFailure extends Error {
  override readonly name = 'ChannelFailure'
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
  /** Delivers a sample at once, within 30 s. Never rejects. */
  test(channel: StoredChannel, event: LoggedEvent): Promise<ChannelTest>
}

const CHANNEL_TIMEOUT_MS = 30_000
/** Less, so that the user reads what the sender reports. */
const POST_TIMEOUT_MS = 20_000
const FAILING_CONCURRENCY = 5
const LONGEST_RETRY_DELAY_MS = 900_000
/** About three and a half hours after the first failure, and then every six hours. */
const FAILURES_PER_SKIP = 24

export function createChannelDelivery(deps: ChannelDeliveryDeps): ChannelDelivery {
  const { environment, types } = deps
  const { clock, logger } = environment
  const deliver = createDeliver(deps)

  function begin(channel: StoredChannel): RoutedBatch {
    const { id, workspaceId, type } = channel
    let { failures, lastError: error } = channel
    let isSent = false
    let isTried = false
    return {
      wants: (event) => isNotified(event) && (channel.events as readonly string[]).includes(event.type),
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

/** Rejects with a `ChannelFailure` only. */
type Deliver = (
  channel: StoredChannel,
  event: LoggedEvent,
  options: { readonly signal: AbortSignal; readonly isTest: boolean },
) => Promise<void>

function createDeliver({ types, secrets, sender, linkOf }: ChannelDeliveryDeps): Deliver {
  return async (channel, event, { signal, isTest }) => {
    const type = types.get(channel.type)
    if (type === undefined) throw new ChannelFailure(`the host has no type ${channel.type}`)
    const config = openConfig(secrets, channel)
    try {
      await type.deliver(
        { ...notificationOf(channel, event, isTest), url: isTest ? null : linkOf(event) },
        config,
        {
          signal,
          isConfirmed: (recipient) => isConfirmed(channel, recipient),
          post: ({ url, headers, body }) =>
            sender.send({ url, headers, body: Buffer.from(body), timeoutMs: POST_TIMEOUT_MS, signal }),
        },
      )
    } catch (error) {
      const values = Object.keys(channel.secrets).map((member) => config[member])
      throw new ChannelFailure(channelError(error, values))
    }
  }
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
 * Why a delivery failed, in one line of at most 300 characters for the user: the message of what was thrown, without anything of the
 * secrets.
 */
export function channelError(thrown: unknown, secrets: readonly unknown[]): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  let text = message.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ').trim()
  for (const secret of secretTexts(secrets)) text = text.replaceAll(secret, MASK)
  const characters = Array.from(text.toWellFormed() || 'the delivery failed')
  if (characters.length <= LONGEST_ERROR) return characters.join('')
  return `${characters.slice(0, LONGEST_ERROR - 1).join('')}…`
}

/** The secrets and the parts that reveal them, the longest first: of a URL its path, also as other encodings write it. */
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

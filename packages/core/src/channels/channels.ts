import { z } from 'zod'
import type { Reach, SecretBox } from '../access/index.js'
import type { Environment, InTransaction, Instant, OnRecord } from '../environment/index.js'
import { boundedList, parseInput, requireLimit, TaskboardError, textOf } from '../errors/index.js'
import {
  currentPayloadVersion,
  eventKinds,
  type LoggedEvent,
  type NotificationEventType,
  notificationEventTypes,
  type StoredChannel,
} from '../events/index.js'
import { hasAll } from '../fields/index.js'
import { type IdempotencyClaim, sealedClaim } from '../idempotency/index.js'
import type { LimitStore } from '../limits/index.js'
import type { EndpointGuard } from '../webhooks/index.js'
import { maskedConfig, requireType, sealChangedConfig, sealNewConfig } from './channel-config.js'
import type { ChannelDelivery, ChannelTest } from './channel-delivery.js'
import type { ChannelStore } from './channel-store.js'
import type { createConfirmations } from './confirmations.js'
import { type ChannelType, describeType, type NotificationType } from './notification-type.js'

const MOST_EVENTS = 100

const name = textOf({ most: 100, isBlankAllowed: false })
const config = z.record(z.string(), z.unknown(), { error: 'must be an object' })
const events = boundedList(z.enum(notificationEventTypes), {
  of: 'event types',
  least: 1,
  most: MOST_EVENTS,
}).transform((types) => [...new Set(types)])

/** The input of `channels.create`. */
export const newChannelInput = z.strictObject({
  type: z.string({ error: 'must be text' }),
  name,
  config,
  events,
})

/** The input of `channels.update`. */
export const channelChangeInput = z.strictObject({
  name: name.optional(),
  config: config.optional(),
  events: events.optional(),
  type: z.undefined({ error: 'cannot be changed; create another channel' }).optional(),
})

export type ChannelInput = z.input<typeof newChannelInput>
export type ChannelChange = z.input<typeof channelChangeInput>

/** A notification channel that a user set up. */
export interface Channel {
  /** `nch_…` */
  readonly id: string
  readonly workspaceId: string
  /** The name of a registered type. */
  readonly type: string
  readonly name: string
  /** With `********` for each secret. */
  readonly config: Readonly<Record<string, unknown>>
  readonly events: readonly NotificationEventType[]
  /** When deliveries began to fail; null while they succeed. */
  readonly failingSince: Instant | null
  /** Why the last delivery failed; null when it succeeded. */
  readonly lastError: string | null
  readonly lastDeliveredAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

export interface ChannelPage {
  /** Oldest first. */
  readonly channels: readonly Channel[]
  /** Pass it to get the next page; null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The notification channels that users set up, of the types among `notifications`. Every method throws `TaskboardError`. `MISSING_FIELD`
 * and `INVALID_FIELD` name the field. `NOT_FOUND` for an id that the workspace doesn't have, `SERVICE_UNAVAILABLE` when the storage is
 * unreachable.
 */
export interface Channels<Tx = unknown> {
  /** The registered types, of which channels can be set up. */
  readonly types: readonly ChannelType[]
  /**
   * Sets up a channel for future events. Within a transaction, no one is asked to confirm: call `askRecipients` after its commit. A retry with the same `idempotency` returns the channel as first created.
   * @throws `CONFLICT` when that key was used for another request.
   */
  create(
    workspaceId: string,
    input: ChannelInput,
    options?: OnRecord<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<Channel>
  /** `limit` 1 to 1,000, default 100. */
  list(
    workspaceId: string,
    query?: InTransaction<Tx> & {
      readonly limit?: number | undefined
      readonly cursor?: string | null | undefined
    },
  ): Promise<ChannelPage>
  get(workspaceId: string, channelId: string, options?: InTransaction<Tx>): Promise<Channel>
  /** A channel of any workspace within reach. */
  find(reach: Reach, channelId: string, options?: InTransaction<Tx>): Promise<Channel>
  /**
   * Changes the given fields, and retries what waits. A `config` replaces the old one, except for secrets that it doesn't name or has
   * as `********`. A recipient whom it doesn't name any more hasn't confirmed any more. Within a transaction, as `create`.
   */
  update(
    workspaceId: string,
    channelId: string,
    change: ChannelChange,
    options?: OnRecord<Tx>,
  ): Promise<Channel>
  /** Deletes it with its undelivered notifications; returns false when it didn't exist. A delivery in progress may still arrive. */
  delete(workspaceId: string, channelId: string, options?: OnRecord<Tx>): Promise<boolean>
  /** Sends links to the recipients who have yet to confirm, as often as the limits allow. Doesn't wait for that. */
  askRecipients(workspaceId: string, channelId: string): Promise<void>
  /**
   * Delivers a sample immediately and returns the outcome. A success also retries what waits. Takes up to 30 s.
   * @throws `RATE_LIMITED` after five tests of the channel, or 30 of all channels of the account, within an hour.
   */
  test(workspaceId: string, channelId: string): Promise<ChannelTest>
}

export interface ChannelsDeps<Tx> {
  readonly environment: Environment
  readonly store: ChannelStore<Tx>
  readonly limits: LimitStore
  readonly types: ReadonlyMap<string, NotificationType>
  readonly secrets: SecretBox
  readonly guard: Pick<EndpointGuard, 'refuseUrl'>
  readonly delivery: Pick<ChannelDelivery, 'test'>
  readonly confirmations: Pick<ReturnType<typeof createConfirmations>, 'ask' | 'ended'>
  /** Null when the workspace is gone. */
  readonly accountOf: (workspaceId: string) => string | Promise<string | null>
}

const DEFAULT_PAGE = 100
/** A test reaches people, as often as someone asks for it. Channels are free to make again. */
const TESTS = { limit: 5, windowMs: 3_600_000 }
const TESTS_OF_ACCOUNT = { limit: 30, windowMs: 3_600_000 }
const CURSOR = /^nch_[0-9a-z]{1,60}$/

export function createChannels<Tx>(deps: ChannelsDeps<Tx>): Channels<Tx> {
  const { environment, store, types, secrets, guard, delivery, confirmations } = deps
  const configDeps = { secrets, tools: { refuseUrl: (url: string) => guard.refuseUrl(url) } }

  async function find(
    within: string | Reach,
    channelId: string,
    options?: InTransaction<Tx>,
  ): Promise<StoredChannel> {
    const [channel] = await store.listChannels({ within, channelId }, environment.call(options))
    if (channel === undefined) throw new TaskboardError('NOT_FOUND', 'no such notification channel')
    return channel
  }

  return {
    types: [...types.values()].map(describeType),
    async create(workspaceId, input, options) {
      const given = parseInput(newChannelInput, input)
      const type = requireType(types, given.type)
      const sealed = sealNewConfig(configDeps, type, workspaceId, given.config)
      const channel = { workspaceId, type: type.name, name: given.name, events: given.events, ...sealed }
      const insertion = { channel, idempotency: sealedClaim(secrets, options?.idempotency) }
      const { value, replayed } = await store.insertChannel(insertion, environment.call(options))
      // What a transaction rolls back must not have sent mail.
      if (!replayed && options?.tx === undefined) confirmations.ask(value)
      return toChannel(value)
    },
    async list(workspaceId, { limit = DEFAULT_PAGE, cursor = null, tx } = {}) {
      const afterId = requireCursor(cursor)
      const query = { within: workspaceId, limit: requireLimit(limit) + 1, afterId }
      const found = await store.listChannels(query, environment.call({ tx }))
      const channels = found.slice(0, limit).map(toChannel)
      return { channels, nextCursor: found.length > limit ? (channels.at(-1)?.id ?? null) : null }
    },
    async get(workspaceId, channelId, options) {
      return toChannel(await find(workspaceId, channelId, options))
    },
    async find(reach, channelId, options) {
      return toChannel(await find(reach, channelId, options))
    },
    async update(workspaceId, channelId, input, options) {
      const given = parseInput(channelChangeInput, input)
      const change = { name: given.name, events: given.events }
      if (given.config === undefined) {
        return toChannel(
          await store.updateChannel({ workspaceId, channelId, change }, environment.call(options)),
        )
      }
      const stored = await find(workspaceId, channelId, options)
      const sealed = sealChangedConfig(configDeps, requireType(types, stored.type), stored, given.config)
      const ended = confirmations.ended(stored, sealed)
      const changes = { ...sealed.secrets, ...ended }
      const isSame = Object.keys(changes).length === 0 && hasAll(stored, { ...change, config: sealed.config })
      const full = isSame ? {} : { ...change, ...sealed, secrets: changes }
      const update = { workspaceId, channelId, change: full }
      const changed = await store.updateChannel(update, environment.call(options))
      if (options?.tx === undefined) confirmations.ask(changed)
      return toChannel(changed)
    },
    delete: (workspaceId, channelId, options) =>
      store.deleteChannel({ workspaceId, channelId }, environment.call(options)),
    async askRecipients(workspaceId, channelId) {
      confirmations.ask(await find(workspaceId, channelId))
    },
    async test(workspaceId, channelId) {
      const channel = await find(workspaceId, channelId)
      await takeTest(deps, channel)
      confirmations.ask(channel)
      const outcome = await delivery.test(channel, sampleOf(channel, environment))
      if (outcome.delivered && channel.failures > 0) {
        await store.updateChannel({ workspaceId, channelId, change: {} }, environment.call())
      }
      return outcome
    },
  }
}

/** Counts a test of a channel. @throws TaskboardError `RATE_LIMITED`. */
async function takeTest<Tx>(
  { environment, limits, accountOf }: Pick<ChannelsDeps<Tx>, 'environment' | 'limits' | 'accountOf'>,
  { workspaceId, id }: StoredChannel,
): Promise<void> {
  const accountId = (await accountOf(workspaceId)) ?? workspaceId
  const ofAccount = `the channels of an account can be tested ${TESTS_OF_ACCOUNT.limit} times per hour`
  for (const { rule, ...use } of [
    { key: `channel-test:${id}`, ...TESTS, rule: `a channel can be tested ${TESTS.limit} times per hour` },
    { key: `channel-tests:${accountId}`, ...TESTS_OF_ACCOUNT, rule: ofAccount },
  ]) {
    const { allowed, retryAfterMs } = await limits.take(use, environment.call())
    if (!allowed) throw new TaskboardError('RATE_LIMITED', rule, { retryAfterMs })
  }
}

/** A fictional event of the first type that the channel wants. It isn't logged. */
function sampleOf(
  { workspaceId, events: [first = 'task.created'] }: StoredChannel,
  { clock, newId }: Environment,
) {
  const now = clock.now()
  const place = { id: newId('log'), workspaceId, seq: 0, at: now, payloadVersion: currentPayloadVersion }
  return { type: first, data: eventKinds[first].sample(now), ...place } as LoggedEvent
}

function requireCursor(cursor: string | null): string | null {
  if (cursor === null || CURSOR.test(cursor)) return cursor
  throw new TaskboardError('INVALID_FIELD', 'cursor must be the nextCursor of an earlier page', {
    field: 'cursor',
  })
}

/** Leaves out the secrets. */
function toChannel(stored: StoredChannel): Channel {
  const { id, workspaceId, type, name: named, events: wanted, createdAt, updatedAt } = stored
  const { failingSince, lastError, lastDeliveredAt } = stored
  const shown = maskedConfig(stored)
  const health = { failingSince, lastError, lastDeliveredAt }
  return {
    id,
    workspaceId,
    type,
    name: named,
    config: shown,
    events: wanted,
    ...health,
    createdAt,
    updatedAt,
  }
}

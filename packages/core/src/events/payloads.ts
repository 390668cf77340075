import * as z from 'zod'
import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import {
  currentPayloadVersion,
  eventKinds,
  webhookEventTypes,
  type EventDraft,
  type EventKinds,
  type EventOf,
  type EventType,
  type LoggedEvent,
  type WebhookEventType,
} from './catalog.js'
import { iso, time, type EventTally } from './event-kind.js'

/** The only inputs of a payload. */
export type PayloadSource = EventDraft & Pick<LoggedEvent, 'at' | 'payloadVersion'>

/** An event as it leaves the process: snake_case names, ISO 8601 UTC times, null for absent values. */
export interface EventPayload {
  readonly event: LoggedEvent['type']
  /** When it happened, not when it is sent. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Renders an event: a pure function of its type, time, data and payload version. `data` follows `eventPayloadSchemas`. A host's
 * published data goes out with its keys unchanged.
 * @throws TaskboardError `INTERNAL_ERROR` for a payload version that this release doesn't know.
 */
export function renderPayload(event: PayloadSource): EventPayload {
  if (event.payloadVersion !== currentPayloadVersion) {
    throw new TaskboardError(
      'INTERNAL_ERROR',
      `payload version ${event.payloadVersion} is not supported by this release`,
    )
  }
  return { event: event.type, timestamp: iso(event.at), data: renderData(event) as EventPayload['data'] }
}

/** The body of a webhook: the rendered event as JSON. Every process renders the same text every time. */
export function encodePayload(event: PayloadSource): string {
  return JSON.stringify(renderPayload(event))
}

function renderData<T extends EventType>(event: EventOf<T>): unknown {
  return eventKinds[event.type].render(event.data)
}

function payloadSchema<T extends WebhookEventType, D extends z.ZodType>(event: T, data: D) {
  return z.object({ event: z.literal(event), timestamp: time, data })
}

type PayloadSchema<T extends WebhookEventType> = EventKinds[T]['payload'] extends infer D extends z.ZodType
  ? ReturnType<typeof payloadSchema<T, D>>
  : never

/**
 * Each webhook's parsed body: `event`, `timestamp` (when it happened) and `data`. Times are ISO 8601 in UTC, absent values null. For
 * receivers: a later version may add fields, which these schemas leave out of their output, and removes none. `email.received`,
 * `order.new` and a host's additions to an alert are the host's own.
 */
export const eventPayloadSchemas = Object.fromEntries(
  webhookEventTypes.map((type) => [type, payloadSchema(type, eventKinds[type].payload)]),
) as { [T in WebhookEventType]: PayloadSchema<T> }

/** The parsed webhook body for one type of event. */
export type WebhookPayload<T extends WebhookEventType = WebhookEventType> = {
  [K in WebhookEventType]: z.output<(typeof eventPayloadSchemas)[K]>
}[T]

/** A fictional event of the given type, as of `now`, for the Test button. It belongs to no task and isn't logged. */
export function sampleEvent<T extends WebhookEventType>(type: T, now: Instant): EventOf<T> {
  return { type, data: eventKinds[type].sample(now) }
}

const LONGEST_TEXT = 600

/**
 * An event in one line of English for people, at most 600 characters.
 * @example
 * ```ts
 * import { createTaskboard, transition } from '@taskboard/core'
 * import { describeEvent } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 *
 * const move = { kind: 'move', to: 'DONE', actor: { kind: 'user', id: 'user_1' } } as const
 * const { events } = transition(task, move, task.createdAt)
 * console.log(events.map(describeEvent)) // [ 'Moved from TODO to DONE: Translate the manual' ]
 * ```
 */
export function describeEvent(event: EventDraft): string {
  const line = lineOf(event).replace(/\s+/gu, ' ').trim()
  const characters = Array.from(line)
  return characters.length <= LONGEST_TEXT ? line : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`
}

function lineOf<T extends EventType>(event: EventOf<T>): string {
  return eventKinds[event.type].line(event.data)
}

/** What analytics counts of an event; null for most. */
export function tallyOf(event: EventDraft & Pick<LoggedEvent, 'at'>): EventTally | null {
  return tally(event, event.at)
}

function tally<T extends EventType>({ type, data }: EventOf<T>, at: Instant): EventTally | null {
  return eventKinds[type].count?.(data, at) ?? null
}

import type { Instant } from '../environment/index.js'
import { approvalEvents, type ApprovalEventData } from './approval-events.js'
import type { EventKind, Listing } from './event-kind.js'
import { otherEvents, type OtherEventData } from './other-events.js'
import { taskChangeEvents, type TaskChangeEventData } from './task-change-events.js'
import { taskEvents, type TaskEventData } from './task-events.js'

/**
 * The immutable data of each event, written in the transaction of the change. A webhook's body is a pure function of it, the event's
 * time and the payload version.
 */
export interface EventData extends TaskEventData, TaskChangeEventData, ApprovalEventData, OtherEventData {}

/** All types of events of the log. */
export type EventType = keyof EventData

const kinds = { ...taskEvents, ...taskChangeEvents, ...approvalEvents, ...otherEvents }
export type EventKinds = typeof kinds

/** The definition of each type. */
export const eventKinds: { readonly [T in EventType]: EventKind<EventData[T]> } = kinds

type TypesWith<Member extends keyof Listing, Value> = {
  [T in EventType]: EventKinds[T][Member] extends Value ? T : never
}[EventType]

function typesWhere<T extends EventType>(applies: (kind: Listing) => boolean): readonly [T, ...T[]] {
  const types = Object.keys(eventKinds) as EventType[]
  return types.filter((type) => applies(eventKinds[type])) as [T, ...T[]]
}

/** The events that webhooks can subscribe to. */
export type WebhookEventType = TypesWith<'webhooks', true>
export const webhookEventTypes = typesWhere<WebhookEventType>(({ webhooks }) => webhooks)

/** The events that come from outside the board, through `taskboard.publish`. */
export type IntegrationEventType = TypesWith<'publishable', true>
export const integrationEventTypes = typesWhere<IntegrationEventType>(({ publishable }) => publishable)

/** The events that the realtime channel sends. */
export type RealtimeEventType = TypesWith<'realtime', string>
export const realtimeEventTypes = typesWhere<RealtimeEventType>(({ realtime }) => realtime !== null)

/** The events that notification channels receive. */
export type NotificationEventType = TypesWith<'notifications', true>
export const notificationEventTypes = typesWhere<NotificationEventType>(({ notifications }) => notifications)

/** The events that analytics counts. */
export type CountedEventType = Exclude<EventType, TypesWith<'count', null>>
export const countedEventTypes = typesWhere<CountedEventType>(({ count }) => count !== null)

/** The definition of an event's type. Undefined for one of a later release, which a process that was upgraded first may have logged. */
function listingOf(event: Pick<LoggedEvent, 'type'>): Listing | undefined {
  return (kinds as Readonly<Partial<Record<string, Listing>>>)[event.type]
}

/** On which part of the realtime channel an event is sent, if at all. An unknown event of tasks is sent as a gap. */
export function realtimeOf(event: Pick<LoggedEvent, 'type'>): Listing['realtime'] {
  const listing = listingOf(event)
  if (listing !== undefined) return listing.realtime
  return event.type.startsWith('task.') ? 'tasks' : null
}

/** Whether notification channels receive an event. */
export function isNotified(event: Pick<LoggedEvent, 'type'>): boolean {
  return listingOf(event)?.notifications === true
}

/** The type of an event with its data. */
export type EventOf<T extends EventType> = {
  [K in T]: { readonly type: K; readonly data: EventData[K] }
}[T]

/** An event before it has a place in the log. */
export type EventDraft = EventOf<EventType>

/** An event as stored in the log. */
export type LoggedEvent = EventDraft & {
  /** `log_…`; its webhook deliveries have their own ids. */
  readonly id: string
  readonly workspaceId: string
  /** Its place in the workspace's log: 1, 2, 3 … No reader sees a later one before an earlier one. */
  readonly seq: number
  readonly at: Instant
  /** The version of the payload that is rendered from `data`. */
  readonly payloadVersion: number
}

/** The version that new events are written with. */
export const currentPayloadVersion = 1

import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import type { InputOf } from '../errors/index.js'

/** The contribution of an event to the figures of the day of `at`, for tasks of one type. */
export interface EventTally {
  readonly at: Instant
  readonly type: string | null
  readonly created: number
  readonly completed: number
  readonly failed: number
  readonly timed: number
  readonly takenMs: number
}

/** The definition of a type of event. Everything that treats types of events differently reads it here. */
export interface EventKind<Data, Schema extends z.ZodType = z.ZodType> {
  /** When it is raised, in one line of the API reference. */
  readonly summary: string
  /** Whether webhooks can subscribe to it. */
  readonly webhooks: boolean
  /** Whether notification channels receive it. */
  readonly notifications: boolean
  /** On the realtime channel: an event of tasks, an event of agents, or none. */
  readonly realtime: 'tasks' | 'agents' | null
  /** Whether hosts may raise it, through `taskboard.publish`. */
  readonly publishable: boolean
  /** The payload's `data`, as receivers parse it. */
  readonly payload: Schema
  /** The payload's `data`: a pure function, so that every process renders the same text every time. */
  render(data: Data): InputOf<Schema>
  /** The event in one line of English for people. */
  line(data: Data): string
  /** Fictional data as of `now`, for the Test button. */
  sample(now: Instant): Data
  /** The counts of analytics for an event at `at`; null when it counts nothing. */
  readonly count: ((data: Data, at: Instant) => EventTally | null) | null
}

/** The members whose values make up the lists of types. */
type Listed = 'webhooks' | 'notifications' | 'realtime' | 'publishable' | 'count'
export type Listing = Pick<EventKind<unknown>, Exclude<Listed, 'count'>> & { readonly count: unknown }

/** Declares a type of event that keeps `Data`. */
export const eventKind =
  <Data>() =>
  <Schema extends z.ZodType, const Kind extends Listing>(
    kind: EventKind<Data, Schema> & Kind,
  ): EventKind<Data, Schema> & Pick<Kind, Listed> =>
    kind

export const time = z.iso.datetime()

export function iso(instant: Instant): string {
  return new Date(instant).toISOString()
}

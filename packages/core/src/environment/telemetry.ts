import { loggedError } from './logged-error.js'

/** What is known of a task where something happens to it. */
export interface TracedTask {
  readonly id: string
  readonly workspaceId: string
  /** The W3C `traceparent` of the span in which it was added; null without one. */
  readonly traceparent: string | null
}

/** Something that takes time. */
export type SpanStart =
  /** A request of an API. `route` is the pattern of its path. */
  | {
      readonly kind: 'request'
      readonly method: string
      readonly route: string
      readonly header: (name: string) => string | undefined
    }
  /** Tasks are added to a workspace's board. */
  | { readonly kind: 'add'; readonly workspaceId: string; readonly count: number }
  /** A claim that found tasks. It is over when its span begins, and took so long. */
  | {
      readonly kind: 'claim'
      /** Null for an agent outside of the runtimes. */
      readonly agentType: string | null
      readonly tookMs: number
      readonly tasks: readonly TracedTask[]
    }
  /** An agent works on a task. */
  | {
      readonly kind: 'run'
      readonly task: TracedTask
      readonly agentType: string
      readonly agentId: string
      /** From 1. */
      readonly attempt: number
    }
  /** One attempt to send a delivery. */
  | {
      readonly kind: 'delivery'
      readonly eventType: string
      readonly deliveryId: string
      readonly workspaceId: string
      /** The one of the event's task; null without one. */
      readonly traceparent: string | null
      /** From 1. */
      readonly attempt: number
    }

/** What is known of a span only later. */
export interface SpanDetails {
  /** The HTTP status of an response. */
  readonly status?: number | undefined
  /** How a run or a delivery ended. */
  readonly outcome?: string | undefined
  /** The ids of the tasks that were added. */
  readonly taskIds?: readonly string[] | undefined
  /**
   * Why it failed: a text of the library's own, or an error. Of an error, implementations get the class, code, message, stack and
   * causes, and no other property.
   */
  readonly error?: unknown
}

/** A span in progress. */
export interface TelemetrySpan {
  /** The W3C `traceparent` that continues it elsewhere; null for none. */
  readonly traceparent: string | null
  set(details: SpanDetails): void
}

/** A limit that rejected a request. */
export type LimitName = 'board' | 'tier' | 'credentials' | 'quota' | 'connections' | 'unauthenticated'

/** One measured value. None of its members has an unbounded number of values, except `model`, which callers may choose. */
export type Measurement =
  /** A task was claimed so long after it could have been at the earliest: its creation or its `notBefore`. First claims only. */
  | { readonly kind: 'claim'; readonly agentType: string | null; readonly waitedMs: number }
  /** A run ended. */
  | {
      readonly kind: 'run'
      readonly agentType: string | null
      readonly outcome: string
      readonly tookMs: number
    }
  /** An attempt to send a delivery ended. */
  | {
      readonly kind: 'delivery'
      readonly eventType: string
      readonly outcome: 'succeeded' | 'retry' | 'failed' | 'gone'
      readonly tookMs: number
    }
  | { readonly kind: 'refusal'; readonly limit: LimitName }
  /** How old an event was when the process passed it on. */
  | { readonly kind: 'event_lag'; readonly lagMs: number }
  | {
      readonly kind: 'usage'
      readonly model: string
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cachedInputTokens: number
      readonly costMicros: number
    }

/** What can be read at any time. The tasks are counted over all processes, the connections in this one. */
export interface Gauges {
  /** Tasks in TODO that aren't on hold. Null when the storage doesn't respond. */
  readonly waitingTasks: number | null
  /** Tasks that an agent works. Null when the storage doesn't respond. */
  readonly runningTasks: number | null
  /** Realtime connections. */
  readonly connections: number
}

/**
 * Where the library reports what it does and how long that takes. `@taskboard/otel` passes it on to OpenTelemetry. Without one, the library
 * creates no objects for reports. Errors of an implementation are ignored.
 */
export interface Telemetry {
  /** Calls `work` at the same time, within a span that ends when `work` has returned, or when its promise has settled. Returns what `work` returns. */
  span<T>(start: SpanStart, work: (span: TelemetrySpan) => T): T
  /** Calls `work` outside of every span. */
  detached<T>(work: () => T): T
  measure(measurement: Measurement): void
  /** Called by `start`. `read` is cheap: it asks the storage at most every 30 seconds. Returns a function that stops it. */
  observe(read: () => Promise<Gauges>): () => void
}

const noSpan: TelemetrySpan = { traceparent: null, set: () => undefined }

/** The host's telemetry, which then fails no work, runs it exactly once, and gets errors as logs do. */
export function telemetryOf(chosen: Telemetry | undefined): Telemetry | null {
  if (chosen === undefined) return null
  return {
    span: (start, work) =>
      exactlyOnce(
        (run) => chosen.span(start, (span) => run(new GuardedSpan(span))),
        (span) => work(span ?? noSpan),
      ),
    detached: (work) => exactlyOnce((run) => chosen.detached(() => run()), work),
    measure: (measurement) => ignoringErrors(() => chosen.measure(measurement)),
    observe(read) {
      const end = ignoringErrors(() => chosen.observe(read))
      return () => ignoringErrors(() => end?.())
    },
  }
}

/** A span that throws nothing. A class, because literals with accessors are slow to make. */
class GuardedSpan implements TelemetrySpan {
  readonly #span: TelemetrySpan

  constructor(span: TelemetrySpan) {
    this.#span = span
  }

  get traceparent() {
    try {
      return this.#span.traceparent
    } catch {
      return null
    }
  }

  set(details: SpanDetails): void {
    const { error } = details
    try {
      this.#span.set(typeof error === 'object' ? { ...details, error: loggedError(error) } : details)
    } catch {
      // Telemetry fails no work.
    }
  }
}

/** Calls `work` once, by `through` if that calls it, and returns or throws what `work` does. */
function exactlyOnce<T>(
  through: (run: (span?: TelemetrySpan) => T) => unknown,
  work: (span?: TelemetrySpan) => T,
): T {
  let end: { readonly value: T } | { readonly thrown: unknown } | undefined
  const run = (span?: TelemetrySpan): T => {
    if (end !== undefined) return replay(end)
    try {
      const value = work(span)
      end = { value }
      return value
    } catch (error) {
      end = { thrown: error }
      throw error
    }
  }
  ignoringErrors(() => through(run))
  // Read in a function, because the compiler does not see that `run` may have been called.
  const ended = ((): typeof end => end)()
  return ended === undefined ? work() : replay(ended)
}

function replay<T>(end: { readonly value: T } | { readonly thrown: unknown }): T {
  if ('thrown' in end) throw end.thrown
  return end.value
}

function ignoringErrors<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

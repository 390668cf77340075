import {
  context,
  metrics,
  ROOT_CONTEXT,
  trace,
  type MeterProvider,
  type Span,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Telemetry } from '@taskboard/core'
import type { SpanDetails, TelemetrySpan } from '@taskboard/core/transport'
import { describeSpan, recordError } from './start-span.js'
import { createInstruments } from './instruments.js'
import { planSpan } from './start-span.js'
import { formatTraceparent } from './trace-context.js'

export interface OtelTelemetryOptions {
  /** Where spans go. Default: the global provider of `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Where metrics go. Default: the global provider of `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider | undefined
  /**
   * Whose requests continue the trace that their `traceparent` names. `true` for all, or a function of the headers, such as one that looks
   * for a header of your gateway. It is asked before the credential is checked, so never by who the caller says to be. The traces of others
   * are linked, and their flags aren't looked at: your sampler decides. Default: no one's.
   */
  readonly trustTraceparent?:
    | boolean
    | ((header: (name: string) => string | undefined) => boolean)
    | undefined
  /**
   * Whether webhook deliveries have a `traceparent` header, so that receivers continue the trace. For boards whose receivers are all your
   * own. Default false.
   */
  readonly propagateToWebhooks?: boolean | undefined
}

const NAME = '@taskboard/otel'

/**
 * OpenTelemetry for the option `telemetry` of `createTaskboard`. It uses the providers and the context manager that you have
 * set up with an SDK. Set them up before you create it. Without an SDK, it records nothing.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { otelTelemetry } from '@taskboard/otel'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), telemetry: otelTelemetry() })
 * await taskboard.start()
 * await taskboard.close()
 * ```
 */
export function otelTelemetry(options: OtelTelemetryOptions = {}): Telemetry {
  const { propagateToWebhooks = false, trustTraceparent = false } = options
  const isTrusted = typeof trustTraceparent === 'function' ? trustTraceparent : () => trustTraceparent
  const tracer = (options.tracerProvider ?? trace.getTracerProvider()).getTracer(NAME)
  const instruments = createInstruments((options.meterProvider ?? metrics.getMeterProvider()).getMeter(NAME))
  return {
    span(start, work) {
      const { name, options: spanOptions, parent } = planSpan(start, isTrusted)
      const span = tracer.startSpan(name, spanOptions, parent)
      const handle = new OtelSpan(span, start.kind === 'delivery' && !propagateToWebhooks)
      return endedWith(span, () => context.with(trace.setSpan(parent, span), () => work(handle)))
    },
    detached: (work) => context.with(ROOT_CONTEXT, work),
    measure: (measurement) => instruments.record(measurement),
    observe: (read) => instruments.observe(read),
  }
}

/** A class, because literals with accessors are slow to make. */
class OtelSpan implements TelemetrySpan {
  readonly #span: Span
  readonly #isHidden: boolean

  constructor(span: Span, isHidden: boolean) {
    this.#span = span
    this.#isHidden = isHidden
  }

  get traceparent() {
    return this.#isHidden ? null : formatTraceparent(this.#span.spanContext())
  }

  set(details: SpanDetails): void {
    describeSpan(this.#span, details)
  }
}

/** Ends the span with the work. */
function endedWith<T>(span: Span, work: () => T): T {
  let value: T
  try {
    value = work()
  } catch (error) {
    fail(span, error)
    throw error
  }
  if (value instanceof Promise) {
    value.then(
      () => span.end(),
      (error: unknown) => fail(span, error),
    )
  } else span.end()
  return value
}

function fail(span: Span, error: unknown): void {
  // Text that was thrown is anybody's.
  recordError(span, typeof error === 'string' ? undefined : error)
  span.end()
}

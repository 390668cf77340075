import { isSpanContextValid, ROOT_CONTEXT, trace, type Context, type SpanContext } from '@opentelemetry/api'

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** The span context of a W3C `traceparent`; null for none, and for one that isn't valid. */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  if (text == null) return null
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? []
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(parsed) ? parsed : null
}

/** The W3C `traceparent` of a span; null for one that no one records. */
export function formatTraceparent(spanContext: SpanContext): string | null {
  if (!isSpanContextValid(spanContext)) return null
  const { traceId, spanId, traceFlags } = spanContext
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** A context with the span of the `traceparent`; the root without one. */
export function remoteContext(traceparent: string | null | undefined): Context {
  const remote = parseTraceparent(traceparent)
  return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
}

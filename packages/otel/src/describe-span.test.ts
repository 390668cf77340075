import { SpanStatusCode } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { describeSpan } from './start-span.js'

const statusOf = (status: number) => {
  const span = new BasicTracerProvider().getTracer('test').startSpan('GET /v2/tasks')
  describeSpan(span, { status })
  return (span as unknown as { readonly status: { readonly code: SpanStatusCode } }).status.code
}

describe('the span of a request', () => {
  it.each([
    [200, SpanStatusCode.UNSET],
    [404, SpanStatusCode.UNSET],
    [499, SpanStatusCode.UNSET],
    [500, SpanStatusCode.ERROR],
    [503, SpanStatusCode.ERROR],
  ])('with the status %i has the code %i', (status, code) => {
    expect(statusOf(status)).toBe(code)
  })
})

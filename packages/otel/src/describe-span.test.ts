import { SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { describeSpan, planSpan } from './start-span.js'

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

  it.each(['00', '01'])('links to the trace of a stranger as not sampled, with the flags %s', (flags) => {
    const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`
    const header = (name: string) => (name === 'traceparent' ? traceparent : undefined)
    const { options } = planSpan({ kind: 'request', method: 'GET', route: '/v2/tasks', header }, () => false)
    expect(options.links?.map(({ context }) => context.traceFlags)).toEqual([TraceFlags.NONE])
  })
})

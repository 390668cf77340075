import { describe, expect, it } from 'vitest'
import { createEnvironment } from './environment.js'
import { telemetryOf, type SpanDetails, type Telemetry } from './telemetry.js'

const START = { kind: 'add', workspaceId: 'ws_1', count: 1 } as const
const SPAN = { traceparent: 'the trace', set: () => undefined }
const fine: Telemetry = {
  span: (_start, work) => work(SPAN),
  detached: (work) => work(),
  measure: () => undefined,
  observe: () => () => undefined,
}
const broken = (): never => {
  throw new Error('broken telemetry')
}

function guarded(telemetry: Telemetry): Telemetry {
  const own = telemetryOf(telemetry)
  if (own === null) throw new Error('no telemetry')
  return own
}

describe('telemetryOf', () => {
  it('is null without telemetry', () => {
    expect(telemetryOf(undefined)).toBeNull()
    expect(createEnvironment().telemetry).toBeNull()
  })

  it('runs work once, and returns or throws what it does, whatever the telemetry does', async () => {
    const telemetries: readonly Telemetry[] = [
      fine,
      { ...fine, span: broken, detached: broken, measure: broken, observe: broken },
      {
        ...fine,
        span: (_start, work) => {
          work(SPAN)
          return broken()
        },
      },
      {
        ...fine,
        span: (_start, work) => {
          work(SPAN)
          return work(SPAN)
        },
      },
      { ...fine, span: (_start, work) => work({ traceparent: null, set: broken }) },
      { ...fine, observe: () => broken },
    ]
    for (const telemetry of telemetries.map(guarded)) {
      let runs = 0
      const done = telemetry.span(START, async (span) => {
        runs += 1
        span.set({ outcome: 'done' })
        return 'done'
      })
      await expect(done).resolves.toBe('done')
      expect(runs).toBe(1)
      const failing = () => {
        throw new RangeError('of the work')
      }
      expect(() => telemetry.span(START, failing)).toThrow(RangeError)
      expect(() => telemetry.detached(failing)).toThrow(RangeError)
      expect(telemetry.detached(() => 5)).toBe(5)
      telemetry.measure({ kind: 'event_lag', lagMs: 1 })
      telemetry.observe(() => Promise.reject(new Error('unused')))()
    }
  })

  it('passes errors on as logs get them', () => {
    const seen: SpanDetails[] = []
    const telemetry = guarded({
      ...fine,
      span: (_start, work) => work({ traceparent: null, set: (details) => void seen.push(details) }),
    })
    const error = Object.assign(new Error('failed'), { code: 'ECONNREFUSED', password: 'hunter2' })
    telemetry.span(START, (span) => span.set({ error }))
    telemetry.span(START, (span) => span.set({ error: 'a text' }))
    expect(seen[0]?.error).toMatchObject({ message: 'failed', code: 'ECONNREFUSED' })
    expect(seen[0]?.error).not.toHaveProperty('password')
    expect(seen[1]?.error).toBe('a text')
  })
})

import type { Attributes, Meter } from '@opentelemetry/api'
import type { Gauges, Measurement } from '@taskboard/core/transport'

/** In seconds, from half a millisecond to an hour. */
const SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600]
/** The attributes of the convention. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]
/** Callers choose the names of models, and each name is a time series. */
const MOST_MODELS = 100

/** Where measurements go. No attribute is an id, so that the number of time series is bounded. */
export interface Instruments {
  record(measurement: Measurement): void
  observe(read: () => Promise<Gauges>): () => void
}

export function createInstruments(meter: Meter): Instruments {
  const duration = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } })
  const claimed = duration('taskboard.claim.latency', 'Time from the creation of a task to its first claim.')
  const runs = duration('messaging.process.duration', 'Time that agents work on tasks.')
  const sends = duration('taskboard.delivery.duration', 'Time that attempts to send a webhook delivery take.')
  const lag = duration('taskboard.events.lag', 'Age of events when this process passes them on.')
  const deliveries = meter.createCounter('taskboard.deliveries', {
    description: 'Attempts to send a webhook delivery.',
    unit: '{attempt}',
  })
  const refusals = meter.createCounter('taskboard.limiter.refusals', {
    description: 'Requests that a limit rejected.',
    unit: '{request}',
  })
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Tokens of a report of usage.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  })
  const cached = meter.createCounter('taskboard.usage.cached_tokens', {
    description: 'Input tokens that a cache had.',
    unit: '{token}',
  })
  const cost = meter.createCounter('taskboard.usage.cost', { description: 'Cost of usage.', unit: 'USD' })
  const modelOf = limited(MOST_MODELS)

  function recordUsage(used: Extract<Measurement, { kind: 'usage' }>): void {
    const ofModel = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': modelOf(used.model) }
    tokens.record(used.inputTokens, { ...ofModel, 'gen_ai.token.type': 'input' })
    tokens.record(used.outputTokens, { ...ofModel, 'gen_ai.token.type': 'output' })
    cached.add(used.cachedInputTokens, ofModel)
    cost.add(used.costMicros / 1e6, ofModel)
  }

  return {
    record(measured) {
      switch (measured.kind) {
        case 'claim':
          return claimed.record(measured.waitedMs / 1_000, ofAgentType(measured.agentType))
        case 'run':
          return runs.record(measured.tookMs / 1_000, {
            'messaging.system': 'taskboard',
            'messaging.operation.name': 'run',
            'messaging.destination.name': 'tasks',
            'taskboard.outcome': measured.outcome,
            ...ofAgentType(measured.agentType),
          })
        case 'delivery': {
          const { eventType, outcome } = measured
          const attributes = { 'taskboard.event.type': eventType, 'taskboard.outcome': outcome }
          deliveries.add(1, attributes)
          return sends.record(measured.tookMs / 1_000, attributes)
        }
        case 'refusal':
          return refusals.add(1, { 'taskboard.limit': measured.limit })
        case 'event_lag':
          return lag.record(measured.lagMs / 1_000)
        case 'usage':
          return recordUsage(measured)
      }
    },
    observe: (read) => observeGauges(meter, read),
  }
}

/** Agents outside of the runtimes have none. */
function ofAgentType(agentType: string | null): Attributes {
  return agentType === null ? {} : { 'taskboard.agent.type': agentType }
}

function observeGauges(meter: Meter, read: () => Promise<Gauges>): () => void {
  const gauge = (name: string, description: string, unit: string) =>
    meter.createObservableGauge(name, { description, unit })
  const waiting = gauge(
    'taskboard.tasks.waiting',
    'Tasks in TODO that are not on hold, of all processes.',
    '{task}',
  )
  const running = gauge('taskboard.tasks.running', 'Tasks that agents work, of all processes.', '{task}')
  const connections = gauge(
    'taskboard.realtime.connections',
    'Realtime connections of this process.',
    '{connection}',
  )
  const all = [waiting, running, connections]
  const callback: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    const seen = await read()
    if (seen.waitingTasks !== null) result.observe(waiting, seen.waitingTasks)
    if (seen.runningTasks !== null) result.observe(running, seen.runningTasks)
    result.observe(connections, seen.connections)
  }
  meter.addBatchObservableCallback(callback, all)
  return () => meter.removeBatchObservableCallback(callback, all)
}

/** Passes on the first `most` different texts, and `_OTHER` instead of further ones. */
function limited(most: number): (text: string) => string {
  const known = new Set<string>()
  return (text) => {
    if (known.size < most) known.add(text)
    return known.has(text) ? text : '_OTHER'
  }
}

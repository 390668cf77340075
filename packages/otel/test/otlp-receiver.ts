import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Value = string | number | boolean
type Attributes = Readonly<Record<string, Value>>

interface SpanReference {
  readonly traceId: string
  readonly spanId: string
}

export interface ReceivedSpan extends SpanReference {
  readonly service: Value
  readonly parentSpanId: string | undefined
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Attributes
  readonly links: readonly SpanReference[]
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[]
  readonly status: { readonly code?: number; readonly message?: string }
}

/** A value of a metric: that of a gauge or counter, or the sum of a histogram, with its count. */
export interface ReceivedPoint {
  readonly service: Value
  readonly name: string
  readonly unit: string
  readonly attributes: Attributes
  readonly value: number
  readonly count: number | null
}

/** A receiver of OTLP over HTTP, as a collector is. */
export interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** The last value for each name and set of attributes of a service. */
  points(): readonly ReceivedPoint[]
  /** Everything received, as text. */
  text(): string
  close(): Promise<void>
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const points = new Map<string, ReceivedPoint>()
  const texts: string[] = []
  const server = createServer((request, response) => {
    void receive(request, response)
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await buffer(request)).toString()
    texts.push(text)
    const received = JSON.parse(text) as Export
    if (request.url === '/v1/traces') spans.push(...readSpans(received))
    for (const point of readPoints(received)) {
      points.set(JSON.stringify([point.service, point.name, point.attributes]), point)
    }
    response.setHeader('content-type', 'application/json').end('{}')
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points: () => [...points.values()],
    text: () => texts.join('\n'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'links' | 'events'> & {
        readonly attributes: readonly Attribute[]
        readonly links?: readonly SpanReference[]
        readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[]
      })[]
    }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[]
  }[]
}

interface Point {
  readonly attributes: readonly Attribute[]
  readonly asInt?: number | string
  readonly asDouble?: number
  readonly sum?: number
  readonly count?: number | string
}

interface Metric {
  readonly name: string
  readonly unit: string
  readonly gauge?: { readonly dataPoints: readonly Point[] }
  readonly sum?: { readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

function readSpans({ resourceSpans = [] }: Export): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: serviceOf(resource.attributes),
        attributes: toAttributes(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        events: (span.events ?? []).map(({ name, attributes }) => ({
          name,
          attributes: toAttributes(attributes),
        })),
      })),
    ),
  )
}

function readPoints({ resourceMetrics = [] }: Export): readonly ReceivedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, gauge, sum, histogram }) =>
        (gauge ?? sum ?? histogram ?? { dataPoints: [] }).dataPoints.map((point) => ({
          service: serviceOf(resource.attributes),
          name,
          unit,
          attributes: toAttributes(point.attributes),
          value: Number(point.asInt ?? point.asDouble ?? point.sum ?? Number.NaN),
          count: point.count === undefined ? null : Number(point.count),
        })),
      ),
    ),
  )
}

function serviceOf(attributes: readonly Attribute[]): Value {
  return toAttributes(attributes)['service.name'] ?? ''
}

function toAttributes(attributes: readonly Attribute[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value
      return [
        key,
        stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue ?? '') : Number(intValue)),
      ]
    }),
  )
}

import { context, type MeterProvider as ApiMeterProvider, type TracerProvider } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/** The SDK as a host sets it up. */
export interface Sdk {
  readonly tracerProvider: TracerProvider
  readonly meterProvider: ApiMeterProvider
  /** Exports what there is. */
  flush(): Promise<void>
  stop(): Promise<void>
}

export function startSdk(service: string, receiverUrl: string): Sdk {
  const resource = resourceFromAttributes({ 'service.name': service })
  const exportIntervalMillis = 60_000
  const tracerProvider = new BasicTracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${receiverUrl}/v1/traces` }), {
        scheduledDelayMillis: 200,
      }),
    ],
  })
  const exporter = new OTLPMetricExporter({ url: `${receiverUrl}/v1/metrics` })
  const readers = [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis })]
  const meterProvider = new MeterProvider({ resource, readers })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    tracerProvider,
    meterProvider,
    async flush() {
      await Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()])
    },
    async stop() {
      await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
      context.disable()
    },
  }
}

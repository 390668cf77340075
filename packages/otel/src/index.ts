export { otelTelemetry, type OtelTelemetryOptions } from './otel-telemetry.js'

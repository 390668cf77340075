export { systemClock, sleep, tracked } from './clock.js'
export type { Clock, Instant, Timer } from './clock.js'
export {
  atMost,
  createBackgroundLoop,
  createSharedAbort,
  type BackgroundLoop,
  type BackgroundLoopOptions,
  type NextPass,
} from './background-loop.js'
export { deferToEventLoop, yieldEvery, yieldToEventLoop } from './event-loop.js'
export { createNewId } from './ids.js'
export type { IdPrefix, NewId } from './ids.js'
export { systemRandom } from './random.js'
export type { Random } from './random.js'
export { consoleLogger, silentLogger } from './logger.js'
export type { Logger } from './logger.js'
export type { AuditActor, CallContext, InTransaction, OnRecord } from './environment.js'
export { createCommitSignal } from './commit-signal.js'
export type { Commit, CommitSignal } from './commit-signal.js'
export { createEnvironment } from './environment.js'
export type { Environment, EnvironmentOptions } from './environment.js'
export { createListeners } from './listeners.js'
export type { Listeners } from './listeners.js'
export type { LoopRegistry, LoopState } from './loop-registry.js'
export type {
  Gauges,
  LimitName,
  Measurement,
  SpanDetails,
  SpanStart,
  Telemetry,
  TelemetrySpan,
  TracedTask,
} from './telemetry.js'

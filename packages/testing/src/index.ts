export { virtualClock } from './clock/virtual-clock.js'
export type { PendingWork, VirtualClock, VirtualClockOptions } from './clock/virtual-clock.js'
export type { Duration } from './clock/duration.js'
export { plainPasswordHasher } from './plain-password-hasher.js'
export { webhookReceiver } from './webhooks/webhook-receiver.js'
export type {
  ReceiverEndpoint,
  WebhookReceiver,
  WebhookReceiverOptions,
} from './webhooks/webhook-receiver.js'
export type { ReceivedDelivery } from './webhooks/received-delivery.js'
export type { Drip, ReceiverAnswer } from './webhooks/answers.js'
export { transportConformance } from './transport/transport-conformance.js'
export type {
  HostBodies,
  MountedHost,
  TransportCase,
  TransportConformanceOptions,
  TransportHost,
} from './transport/transport-case.js'
export { storageConformance } from './storage/storage-conformance.js'
export { countTasks } from './storage/board/count-tasks.js'
export { newTask } from './storage/new-task.js'
export type { OpenedStorage } from './storage/opened-storage.js'
export type { ConformanceCase } from './storage/storage-case.js'
export { v2Conformance } from './v2/v2-conformance.js'
export type { V2Case, V2ConformanceOptions } from './v2/v2-case.js'

export {
  countedEventTypes,
  currentPayloadVersion,
  eventKinds,
  integrationEventTypes,
  isNotified,
  notificationEventTypes,
  realtimeOf,
  realtimeEventTypes,
  webhookEventTypes,
} from './catalog.js'
export type {
  CountedEventType,
  EventData,
  EventDraft,
  EventType,
  IntegrationEventType,
  LoggedEvent,
  NotificationEventType,
  RealtimeEventType,
  WebhookEventType,
} from './catalog.js'
export type { EventTally } from './event-kind.js'
export type { PublishedAlertData, RaisedAlertData } from './other-events.js'
export {
  describeEvent,
  encodePayload,
  eventPayloadSchemas,
  renderPayload,
  sampleEvent,
  tallyOf,
} from './payloads.js'
export type { EventPayload, PayloadSource, WebhookPayload } from './payloads.js'
export type { EventStore, FeedPage, FeedPosition, WatchedLine } from './event-store.js'
export type {
  ChannelHealth,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
  NotificationTargetChange,
  UserChannelClaim,
} from './notification-store.js'
export type { StoredChannel } from './notification-store.js'
export { createEmitter } from './emitter.js'
export type { TaskboardEmitter, TaskboardEventListener, TaskboardEvents } from './emitter.js'
export { createEventLogTailer, type EventLogTailer, type EventLogTailerOptions } from './log-tailer.js'
export type { EventLink, Notification, NotificationChannel } from './notification-channel.js'
export { createNotifications } from './notifications.js'
export type { Notifications, NotificationsDeps } from './notifications.js'
export { notificationRetryMs } from './notification-route.js'
export type { FailedSend, NotificationRoute, RoutedBatch } from './notification-route.js'
export { createNotifier, type Notifier, type NotifierOptions } from './notifier.js'
export { plainJson, plainJsonObject } from './plain-json.js'
export { createPublisher, publishDraft } from './publish.js'
export type { Publish, PublishData, PublishOptions } from './publish.js'
export { shortDigest, shownInput, visible } from './shown-input.js'
export { toTaskboardEvent } from './taskboard-event.js'
export type { TaskboardEvent } from './taskboard-event.js'
export {
  actorKinds,
  agentStatuses,
  approvalDecisions,
  columns,
  commentKinds,
  holdReasons,
  plainActor,
} from './vocabulary.js'
export type {
  ActingAs,
  Actor,
  AgentStatus,
  ApprovalDecision,
  Column,
  CommentKind,
  HoldReason,
  NamedActor,
} from './vocabulary.js'

export { currentPayloadVersion, integrationEventTypes, webhookEventTypes } from './catalogue.js'
export type {
  EventDraft,
  EventFacts,
  EventType,
  IntegrationEventType,
  LoggedEvent,
  PublishedAlertFacts,
  RaisedAlertFacts,
  WebhookEventType,
} from './catalogue.js'
export { encodePayload, renderPayload } from './payloads.js'
export type { EventPayload, PayloadSource } from './payloads.js'
export { eventPayloadSchemas } from './payload-schemas.js'
export type { WebhookPayload } from './payload-schemas.js'
export { sampleEvent } from './sample-event.js'
export type { EventStore, FeedPage, FeedPosition } from './event-store.js'
export type {
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
} from './notification-store.js'
export { describeEvent } from './describe-event.js'
export { createEmitter } from './emitter.js'
export type { TaskboardEmitter, TaskboardEventListener, TaskboardEvents } from './emitter.js'
export { createFollower } from './follower.js'
export type { Follower, FollowerOptions } from './follower.js'
export { notifiedEventTypes } from './notification-channel.js'
export type { Notification, NotificationChannel } from './notification-channel.js'
export { createNotifications } from './notifications.js'
export type { Notifications, NotificationsParts } from './notifications.js'
export { createNotifier } from './notifier.js'
export type { Notifier, NotifierOptions } from './notifier.js'
export { plainJsonObject } from './plain-json.js'
export { createPublisher, publishDraft } from './publish.js'
export type { Publish, PublishData, PublishOptions } from './publish.js'
export { toTaskboardEvent } from './taskboard-event.js'
export type { TaskboardEvent } from './taskboard-event.js'

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
export type {
  EventStore,
  FeedPage,
  FeedPosition,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
} from './event-store.js'

export { currentPayloadVersion, integrationEventTypes, webhookEventTypes } from './catalogue.js'
export type { EventDraft, EventFacts, EventType, IntegrationEventType, LoggedEvent, WebhookEventType } from './catalogue.js'
export type {
  EventStore,
  FeedPage,
  FeedPosition,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
} from './event-store.js'

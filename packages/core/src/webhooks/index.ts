export type {
  ClaimedDelivery,
  Delivery,
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  DeliveryStatus,
  DisabledReason,
  StoredSecret,
  StoredWebhook,
  WebhookStore,
} from './webhook-store.js'

export {
  createSigningKey,
  newWebhookSecret,
  type ReceivedRequest,
  type SigningKey,
  signPayload,
  signStandardWebhook,
  standardWebhookHeaders,
  standardWebhookKey,
  verifyDelivery,
  verifySignature,
} from './signature.js'
export { createRetrySchedule, defaultRetrySchedule, nextAttemptAt } from './retry-schedule.js'
export type { RetrySchedule } from './retry-schedule.js'
export { createEndpointGuard } from './endpoint-guard.js'
export type { EndpointGuard, EndpointGuardOptions } from './endpoint-guard.js'
export { type ResolvedAddress, type Resolver, systemResolver } from './resolver.js'
export type { Sender, SendErrorKind, SendRequest, SendResult } from './sender.js'
export { createUndiciSender, type UndiciSenderOptions } from './undici-sender.js'
export { createHostRates, type HostRates } from './host-rates.js'
export { resolveWebhookSettings } from './webhook-options.js'
export type { WebhookOptions, WebhookSettings } from './webhook-options.js'
export { createDeliverer, type Deliverer, type DelivererDeps } from './deliverer.js'
export type { DeliveryRecord, Webhook } from './webhook.js'
export { createdWebhookInput, newWebhookInput, webhookChangeInput } from './webhook-input.js'
export { rotateSecrets, secretContext as webhookSecretContext } from './signing-keys.js'
export { createWebhooks } from './webhooks.js'
export type {
  DeliveryPage,
  TransportWebhooks,
  WebhookChange,
  WebhookInput,
  Webhooks,
  WebhooksDeps,
} from './webhooks.js'
export { deliveryStatuses, disabledReasons } from './webhook-store.js'
export type {
  ClaimedDelivery,
  Delivery,
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  ReturnedDelivery,
  WebhookQuery,
  DeliveryStatus,
  DeliveryTarget,
  NewDeliveryBounds,
  NewDeliveryClaimer,
  NewStoredWebhook,
  StoredWebhookChange,
  DisabledReason,
  StoredSecret,
  StoredWebhook,
  WebhookStore,
} from './webhook-store.js'

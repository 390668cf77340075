import type { Operating } from '../operation.js'

/** Endpoints for events. */
export function webhookMethods({ method, all }: Operating) {
  return {
    create: method('createWebhook'),
    list: method('listWebhooks'),
    get: method('getWebhook'),
    update: method('updateWebhook'),
    delete: method('deleteWebhook'),
    /** Replaces the secret. The old one stays valid for a while. */
    rotateSecret: method('rotateWebhookSecret'),
    /** Sends a test event, and returns how it was received. */
    test: method('testWebhook'),
    /** A page of the deliveries, with their attempts. */
    deliveries: method('listDeliveries'),
    allDeliveries: all('listDeliveries'),
    /** Sends finished deliveries again: one, or all that failed in a period. */
    resend: method('resendDeliveries'),
  }
}

/** Channels that notify people. */
export function notificationChannelMethods({ method, all }: Operating) {
  return {
    create: method('createNotificationChannel'),
    list: method('listNotificationChannels'),
    listAll: all('listNotificationChannels'),
    get: method('getNotificationChannel'),
    update: method('updateNotificationChannel'),
    delete: method('deleteNotificationChannel'),
    /** Sends a test notification. */
    test: method('testNotificationChannel'),
  }
}

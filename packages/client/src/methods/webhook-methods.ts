import type { Operating } from '../operation.js'

/** Endpoints for events. */
export function webhookMethods({ method, all }: Operating) {
  return {
    /** Registers an endpoint for events of a workspace. No answer contains the secret. */
    create: method('createWebhook'),
    /** The webhooks of a workspace, oldest first. */
    list: method('listWebhooks'),
    /** One webhook. */
    get: method('getWebhook'),
    /** Changes the given fields. Enabling it clears its failures. */
    update: method('updateWebhook'),
    /** Deletes a webhook with its log. */
    delete: method('deleteWebhook'),
    /** Replaces the secret. The old one stays valid for a while. */
    rotateSecret: method('rotateWebhookSecret'),
    /** Sends a test event, and returns how it was received. */
    test: method('testWebhook'),
    /** A page of the deliveries, with their attempts. */
    deliveries: method('listDeliveries'),
    /** All deliveries that match every given filter, newest first. */
    allDeliveries: all('listDeliveries'),
    /** Sends finished deliveries again: one, or all that failed in a period. */
    resend: method('resendDeliveries'),
  }
}

/** Channels that notify people. */
export function notificationChannelMethods({ method, all }: Operating) {
  return {
    /** Sets up a channel of a type that the host registered. No answer contains its secrets. */
    create: method('createNotificationChannel'),
    /** A page of the channels, oldest first. */
    list: method('listNotificationChannels'),
    /** All channels, oldest first. */
    listAll: all('listNotificationChannels'),
    /** The types that the host registered. */
    types: method('listNotificationChannelTypes'),
    /** One channel, without its secrets. */
    get: method('getNotificationChannel'),
    /** Changes the given fields, and retries what waits. Secrets that the new configuration does not name stay. */
    update: method('updateNotificationChannel'),
    /** Deletes a channel with what it has not delivered. */
    delete: method('deleteNotificationChannel'),
    /** Sends a test notification. */
    test: method('testNotificationChannel'),
  }
}

import { z } from 'zod'
import { type Channel, channelChangeInput, type ChannelType, newChannelInput } from '../../channels/index.js'
import { notificationEventTypes } from '../../events/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** A notification channel in an answer, never with its secrets. */
const channelJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    type: z.string(),
    name: z.string(),
    config: z
      .record(z.string(), z.unknown())
      .meta({ description: 'With `********` for each secret. The type says which members there are.' }),
    events: z.array(z.enum(notificationEventTypes)),
    failing_since: timestamp.nullable().meta({ description: 'Null while deliveries succeed.' }),
    last_error: z.string().nullable().meta({
      description: 'Why the last delivery failed; null when it succeeded, or after a change.',
    }),
    last_delivered_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'NotificationChannel' })

function toWireChannel(channel: Channel): z.output<typeof channelJson> {
  const { id, workspaceId, type, name, config, events, failingSince, lastError, lastDeliveredAt } = channel
  return {
    id,
    workspace_id: workspaceId,
    type,
    name,
    config,
    events: [...events],
    failing_since: toTimestamp(failingSince),
    last_error: lastError,
    last_delivered_at: toTimestamp(lastDeliveredAt),
    created_at: toTimestamp(channel.createdAt),
    updated_at: toTimestamp(channel.updatedAt),
  }
}

const channelId = z.object({ channel_id: idText })

const createChannel = operation({
  id: 'createNotificationChannel',
  tag: 'notifications',
  summary: 'Sets up a channel that notifies people of events of a workspace',
  description:
    'The host registers the types of channels. An unknown type is rejected with the ones that there are. No response contains a secret of ' +
    'the configuration.',
  method: 'POST',
  path: '/v2/notification-channels',
  client: 'notificationChannels.create',
  scope: 'webhooks:write',
  idempotent: true,
  body: newChannelInput.extend({ workspace_id: idText.nullish() }),
  example: {
    type: 'slack',
    name: 'Operations',
    config: { url: 'https://hooks.slack.com/services/T0/B0/x' },
    events: ['task.failed'],
  },
  answer: { status: 201, schema: channelJson },
  async run({ services, principal, by, request, body }) {
    const { workspace_id: wanted, ...input } = body
    const workspaceId = await workspaceOf(services, principal, wanted)
    const route = 'POST /v2/notification-channels'
    const idempotency = idempotencyClaim(request, principal, route, { ...input, workspaceId })
    const { channel, isCommitted } = await services.quota.createHeld(
      principal,
      'notificationChannels',
      async (tx) => ({
        channel: await services.channels.create(workspaceId, input, { idempotency, tx, by }),
        isCommitted: tx === undefined,
      }),
    )
    if (!isCommitted) await services.channels.askRecipients(workspaceId, channel.id)
    return toWireChannel(channel)
  },
})

const listChannels = operation({
  id: 'listNotificationChannels',
  tag: 'notifications',
  summary: 'The notification channels of a workspace, oldest first',
  method: 'GET',
  path: '/v2/notification-channels',
  client: 'notificationChannels.list',
  scope: 'webhooks:read',
  query: z.object({ workspace_id: idText.optional(), ...pageQuery }),
  answer: {
    status: 200,
    schema: z.object({ notification_channels: z.array(channelJson), next_cursor: nextCursor }),
  },
  async run({ services, principal, query }) {
    const { workspace_id: wanted, ...page } = query
    const found = await services.channels.list(await workspaceOf(services, principal, wanted), page)
    return { notification_channels: found.channels.map(toWireChannel), next_cursor: found.nextCursor }
  },
})

/** A type of notification channels in an answer: what a form needs to ask for its configuration. */
const channelTypeJson = z
  .object({
    name: z.string().meta({ description: 'The `type` of its channels.' }),
    label: z.string().meta({ description: 'The label for people.' }),
    secrets: z.array(z.string()).meta({ description: 'The members of `config` that are never returned.' }),
    fields: z
      .array(
        z.object({
          name: z.string().meta({ description: 'The member of `config`.' }),
          label: z.string(),
          hint: z.string().nullable(),
          kind: z.enum(['text', 'url', 'list']).meta({ description: '`list` is a list of texts.' }),
          optional: z.boolean().meta({ description: 'Whether it can be left out.' }),
        }),
      )
      .nullable()
      .meta({ description: 'How a form asks for `config`, in its order; null when it has no form.' }),
  })
  .meta({ id: 'NotificationChannelType' })

const toWireType = ({ fields, secrets, ...type }: ChannelType): z.output<typeof channelTypeJson> => ({
  ...type,
  secrets: [...secrets],
  fields: fields === null ? null : [...fields],
})

const listTypes = operation({
  id: 'listNotificationChannelTypes',
  tag: 'notifications',
  summary: 'The types that the host has registered, of which notification channels can be set up',
  method: 'GET',
  path: '/v2/notification-channel-types',
  client: 'notificationChannels.types',
  scope: 'webhooks:read',
  answer: {
    status: 200,
    schema: z.object({
      notification_channel_types: z.array(channelTypeJson),
    }),
  },
  run: ({ services }) => ({ notification_channel_types: services.channels.types.map(toWireType) }),
})

const getChannel = operation({
  id: 'getNotificationChannel',
  tag: 'notifications',
  summary: 'One notification channel',
  method: 'GET',
  path: '/v2/notification-channels/{channel_id}',
  client: 'notificationChannels.get',
  scope: 'webhooks:read',
  params: channelId,
  answer: { status: 200, schema: channelJson },
  run: async ({ services, principal, params }) =>
    toWireChannel(await services.channels.find(principal, params.channel_id)),
})

const updateChannel = operation({
  id: 'updateNotificationChannel',
  tag: 'notifications',
  summary: 'Changes the given fields, and retries what waits for the channel',
  description:
    'A config replaces the old one. Secrets that it does not name, or has as `********`, stay as they are.',
  method: 'PATCH',
  path: '/v2/notification-channels/{channel_id}',
  client: 'notificationChannels.update',
  scope: 'webhooks:write',
  params: channelId,
  body: channelChangeInput,
  example: { name: 'People on call' },
  answer: { status: 200, schema: channelJson },
  async run({ services, principal, by, params, body }) {
    const { workspaceId, id } = await services.channels.find(principal, params.channel_id)
    return toWireChannel(await services.channels.update(workspaceId, id, body, { by }))
  },
})

const deleteChannel = operation({
  id: 'deleteNotificationChannel',
  tag: 'notifications',
  summary: 'Deletes a notification channel with its undelivered notifications',
  method: 'DELETE',
  path: '/v2/notification-channels/{channel_id}',
  client: 'notificationChannels.delete',
  scope: 'webhooks:write',
  params: channelId,
  answer: { status: 204 },
  async run({ services, principal, by, params }) {
    const { workspaceId, id } = await services.channels.find(principal, params.channel_id)
    await services.channels.delete(workspaceId, id, { by })
  },
})

const testChannel = operation({
  id: 'testNotificationChannel',
  tag: 'notifications',
  summary: 'Delivers a sample to this notification channel immediately',
  description:
    'Answers when it was delivered or has failed, within 30 s. A success also retries what waits for the channel. A channel can be tested five times per hour, all of an account together 30 times.',
  method: 'POST',
  path: '/v2/notification-channels/{channel_id}/test',
  client: 'notificationChannels.test',
  repeatable: false,
  scope: 'webhooks:write',
  params: channelId,
  body: z.object({}),
  answer: {
    status: 200,
    schema: z.object({
      delivered: z.boolean(),
      error: z.string().nullable().meta({ description: 'Why it was not delivered, without secrets.' }),
      duration_ms: z.int(),
    }),
  },
  async run({ services, principal, params }) {
    const { workspaceId, id } = await services.channels.find(principal, params.channel_id)
    const { delivered, error, durationMs } = await services.channels.test(workspaceId, id)
    return { delivered, error, duration_ms: durationMs }
  },
})

/** Operations on the notification channels that users set up. */
export const channelOperations = [
  createChannel,
  listChannels,
  listTypes,
  getChannel,
  updateChannel,
  deleteChannel,
  testChannel,
]

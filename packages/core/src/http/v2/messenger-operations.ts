import { z } from 'zod'
import { type ConnectedConversation, linkCodeInput, type MessengerLink } from '../../bots/index.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'
import { operation } from './operation.js'

const linkJson = z
  .object({
    id: z.string(),
    messenger: z.string().meta({ description: 'The `name` of one of `messengers`.' }),
    name: z.string().meta({ description: 'What the messenger called the account when it was linked.' }),
    time_zone: z.string().meta({ description: 'The zone of the times that are written there.' }),
    created_at: timestamp,
  })
  .meta({ id: 'MessengerLink' })

const toWireLink = ({ id, bot, name, timeZone, createdAt }: MessengerLink): z.output<typeof linkJson> => ({
  id,
  messenger: bot,
  name,
  time_zone: timeZone,
  created_at: toTimestamp(createdAt),
})

const conversationJson = z
  .object({
    id: z.string(),
    messenger: z.string(),
    title: z.string(),
    workspace_id: z.string(),
    connected_by: z.string().meta({ description: 'The id of the user who connected it.' }),
    created_at: timestamp,
    failure: z
      .string()
      .nullable()
      .meta({ description: 'Why the bot cannot write there; null while it can.' }),
  })
  .meta({ id: 'MessengerConversation' })

const toWireConversation = (each: ConnectedConversation): z.output<typeof conversationJson> => ({
  id: each.id,
  messenger: each.bot,
  title: each.title,
  workspace_id: each.workspaceId,
  connected_by: each.connectedBy,
  created_at: toTimestamp(each.createdAt),
  failure: each.failure,
})

const common = { tag: 'messengers' } as const

const listMessengers = operation({
  ...common,
  id: 'listMessengers',
  summary: 'The messengers of the board, and the accounts there that are linked to the user',
  method: 'GET',
  path: '/v2/messengers',
  client: 'messengers.list',
  scope: 'any',
  userOnly: true,
  answer: {
    status: 200,
    schema: z.object({
      messengers: z.array(z.object({ name: z.string(), label: z.string() })),
      links: z.array(linkJson),
    }),
  },
  async run({ services, principal }) {
    const { links } = services.bots
    const found = await links.list(principal)
    return { messengers: [...links.messengers], links: found.map(toWireLink) }
  },
})

const createCode = operation({
  ...common,
  id: 'createMessengerCode',
  summary: 'Makes a code that links an account of a messenger to the user',
  description:
    'Send it to the bot in a direct message. It is valid once, for ten minutes, and replaces an earlier code of the user. The linked account then writes as the user.',
  method: 'POST',
  path: '/v2/messengers/codes',
  client: 'messengers.createCode',
  repeatable: true,
  scope: 'any',
  userOnly: true,
  needsProof: true,
  body: z.object({
    time_zone: linkCodeInput.shape.timeZone.meta({
      description: 'The IANA time zone of the times that the user writes. Default UTC.',
    }),
  }),
  example: { time_zone: 'Europe/Oslo' },
  answer: {
    status: 201,
    schema: z.object({
      code: z.string(),
      expires_at: timestamp,
      addresses: z
        .record(z.string(), z.string())
        .meta({ description: 'By messenger: an address that opens it with the code.' }),
    }),
  },
  async run({ services, principal, body }) {
    const { code, expiresAt, addresses } = await services.bots.links.createCode(principal, {
      timeZone: body.time_zone,
    })
    return { code, expires_at: toTimestamp(expiresAt), addresses: { ...addresses } }
  },
})

const deleteLink = operation({
  ...common,
  id: 'deleteMessengerLink',
  summary: 'Unlinks an account of a messenger from the user',
  method: 'DELETE',
  path: '/v2/messengers/links/{messenger_link_id}',
  client: 'messengers.unlink',
  scope: 'any',
  userOnly: true,
  params: z.object({ messenger_link_id: idText }),
  answer: { status: 204 },
  run: ({ services, principal, by, params }) =>
    services.bots.links.unlink(principal, params.messenger_link_id, by),
})

const listConversations = operation({
  ...common,
  id: 'listMessengerConversations',
  summary: 'The conversations of messengers that are connected with workspaces of the caller',
  method: 'GET',
  path: '/v2/messengers/conversations',
  client: 'messengers.conversations',
  scope: 'account:read',
  answer: { status: 200, schema: z.object({ conversations: z.array(conversationJson) }) },
  async run({ services, principal }) {
    const found = await services.bots.links.conversations(principal)
    return { conversations: found.map(toWireConversation) }
  },
})

const deleteConversation = operation({
  ...common,
  id: 'deleteMessengerConversation',
  summary: 'Disconnects a conversation from its workspace',
  method: 'DELETE',
  path: '/v2/messengers/conversations/{conversation_id}',
  client: 'messengers.disconnect',
  scope: 'account:write',
  params: z.object({ conversation_id: idText }),
  answer: { status: 204 },
  run: ({ services, principal, by, params }) =>
    services.bots.links.disconnect(principal, params.conversation_id, by),
})

/** Operations on the accounts and conversations of messengers. */
export const messengerOperations = [
  listMessengers,
  createCode,
  deleteLink,
  listConversations,
  deleteConversation,
]

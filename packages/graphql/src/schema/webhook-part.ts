import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'

const types = /* GraphQL */ `
  extend type Query {
    "A webhook; null when it does not exist. Needs webhooks:read."
    webhook(id: ID!): Webhook
    "The deliveries of a webhook, newest first. Needs webhooks:read."
    webhookDeliveries(
      webhookId: ID!
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
      status: DeliveryStatus
    ): DeliveryConnection
  }

  extend type Mutation {
    "Registers an endpoint for events of a workspace. Returns the webhook that has the same URL and events, if there is one."
    createWebhook(input: CreateWebhookInput!): CreatedWebhook
    "Changes the fields that are given. Enabling a webhook resets its record of failures."
    updateWebhook(id: ID!, input: UpdateWebhookInput!): Webhook
    "Deletes a webhook with its log, and returns its id."
    deleteWebhook(id: ID!): ID
    "Gives a webhook a new secret, which is returned only once. The old one signs too, by default for a day."
    rotateWebhookSecret(id: ID!, secret: String, overlapSeconds: Int): RotatedSecret
    "Sends a sample event to this webhook only."
    testWebhook(id: ID!): Delivery
    "Resends finished deliveries: one, or those created in [from, to) that failed or were skipped. Returns how many."
    resendDeliveries(id: ID!, deliveryId: ID, from: DateTime, to: DateTime): Int
  }

  input CreateWebhookInput {
    "Absolute, https."
    url: String!
    "Types of events, for example task.completed."
    events: [String!]!
    "At least 16 characters, or as many as the host asks for. Without a secret, deliveries carry no signature."
    secret: String
    "Makes a secret, which is returned only once."
    generateSecret: Boolean
    "Default: the caller's own."
    workspaceId: ID
  }

  input UpdateWebhookInput {
    url: String
    events: [String!]
    enabled: Boolean
  }

  type Webhook {
    id: ID!
    workspaceId: ID!
    url: String!
    events: [String!]!
    "Whether deliveries carry a signature."
    signed: Boolean!
    "Whether its secret is too short: rotate it."
    weakSecret: Boolean!
    enabled: Boolean!
    disabledReason: DisabledReason
    failingSince: DateTime
    createdAt: DateTime!
    updatedAt: DateTime!
  }

  type CreatedWebhook {
    id: ID!
    workspaceId: ID!
    url: String!
    events: [String!]!
    signed: Boolean!
    weakSecret: Boolean!
    enabled: Boolean!
    disabledReason: DisabledReason
    failingSince: DateTime
    createdAt: DateTime!
    updatedAt: DateTime!
    "With generateSecret, and only here; else null."
    secret: String
  }

  type RotatedSecret {
    webhook: Webhook!
    secret: String!
  }

  type DeliveryConnection {
    nodes: [Delivery!]!
    pageInfo: PageInfo!
  }

  type Delivery {
    id: ID!
    event: DeliveredEvent!
    status: DeliveryStatus!
    attemptCount: Int!
    attempts: [DeliveryAttempt!]!
    nextAttemptAt: DateTime
    createdAt: DateTime!
  }

  type DeliveredEvent {
    type: String!
    at: DateTime!
  }

  type DeliveryAttempt {
    at: DateTime!
    durationMs: Float!
    "The status of the receiver's response; null without a response."
    status: Int
    error: String
    "The first 1 KiB of the receiver's response."
    response: String
  }
`

interface WithId {
  readonly id: string
}

/** A write with the response of REST. All arguments except the id go into the body. */
function write(operationId: string, bodyOf: (args: never) => WireObject = () => ({})): FieldPlan {
  return {
    weight: 250,
    resolve: (_: unknown, args: Partial<WithId>, context: GraphqlContext) =>
      context.write(operationId, {
        ...(args.id !== undefined && { params: { webhookId: args.id } }),
        body: bodyOf(args as never),
      }),
  }
}

const inputOf = ({ input }: { input: WireObject }): WireObject => input
const restOf = (args: WithId & WireObject): WireObject =>
  Object.fromEntries(Object.entries(args).filter(([name, value]) => name !== 'id' && value !== null))

async function listDeliveries(
  _: unknown,
  { webhookId, first, after, status }: DeliveryArguments,
  { call }: GraphqlContext,
): Promise<object> {
  const query = { limit: String(pageSize(first)), cursor: after ?? undefined, status: status ?? undefined }
  const { deliveries, nextCursor } = await call('listDeliveries', { params: { webhookId }, query })
  return { nodes: deliveries, pageInfo: forwardOnly(nextCursor, after) }
}

interface DeliveryArguments {
  readonly webhookId: string
  readonly first?: number | null
  readonly after?: string | null
  readonly status?: string | null
}

/** The page info of a list whose entries have no cursors. */
export function forwardOnly(nextCursor: unknown, after: string | null | undefined): object {
  return {
    hasNextPage: nextCursor !== null,
    hasPreviousPage: after != null,
    startCursor: null,
    endCursor: nextCursor,
  }
}

/** `maxDeliveryAttempts`: how often the host's retry schedule sends one delivery. */
export function webhookPart(maxDeliveryAttempts: number): SchemaPart {
  return { types, fields: { ...fields, Delivery: { attempts: { size: maxDeliveryAttempts } } } }
}

const fields: SchemaPart['fields'] = {
  Query: {
    webhook: (_: unknown, { id }: WithId, { call }: GraphqlContext) =>
      nullIfAbsent(call('getWebhook', { params: { webhookId: id } })),
    webhookDeliveries: { size: 'first', resolve: listDeliveries },
  },
  Mutation: {
    createWebhook: write('createWebhook', inputOf),
    updateWebhook: write('updateWebhook', inputOf),
    deleteWebhook: {
      weight: 250,
      async resolve(_: unknown, { id }: WithId, context: GraphqlContext) {
        await context.write('deleteWebhook', { params: { webhookId: id } })
        return id
      },
    },
    rotateWebhookSecret: write('rotateWebhookSecret', restOf),
    testWebhook: write('testWebhook'),
    resendDeliveries: {
      weight: 250,
      async resolve(_: unknown, args: WithId & WireObject, context: GraphqlContext) {
        const params = { webhookId: args.id }
        return (await context.write('resendDeliveries', { params, body: restOf(args) }))['resent']
      },
    },
  },
}

import { heldResources } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'
import { forwardOnly } from './webhook-part.js'

const types = /* GraphQL */ `
  extend type Query {
    "The caller's account. Needs account:read."
    account: Account
    "The API keys within reach, newest first, including ended ones. Needs account:read."
    apiKeys(
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
    ): ApiKeyConnection
  }

  extend type Mutation {
    "Creates an API key, which is returned only once. Only for users with an access token."
    createApiKey(input: CreateApiKeyInput!): CreatedApiKey
    "Revokes an API key permanently and returns its id."
    revokeApiKey(id: ID!): ID
    "Creates a key that replaces another and is returned only once. The old one remains valid, by default for a day. Only for users with an access token."
    rotateApiKey(id: ID!, overlapSeconds: Int): CreatedApiKey
  }

  input CreateApiKeyInput {
    "1 to 100 characters."
    name: String!
    "For example tasks:read. At most the scopes of its creator."
    scopes: [String!]!
    expiresAt: DateTime
    "Default: the key reaches the whole account."
    workspaceId: ID
  }

  type Account {
    id: ID!
    name: String!
    tier: Tier!
    createdAt: DateTime!
    "Whether another owner has to decide and answer whatever someone asks. The host sets it."
    requireOtherPerson: Boolean!
    caller: Caller!
    workspaces: [WorkspaceSummary!]!
    limits: AccountLimits!
    usage: Usage!
  }

  "The caller and its scopes."
  type Caller {
    id: ID!
    kind: CallerKind!
    scopes: [String!]!
  }

  "Null where there is no limit."
  type AccountLimits {
    requestsPerHour: Int
    burstPerMinute: Int
    websocketConnections: Int
  }

  "How much of the subscription is used."
  type Usage {
    tasksPerMonth: MonthlyUse!
    ${heldResources.map((resource) => `${resource}: Used!`).join('\n    ')}
  }

  type Used {
    used: Int!
    "Null: unlimited."
    limit: Int
  }

  type MonthlyUse {
    "Null while they are not limited, and so not counted."
    used: Int
    "Null: unlimited."
    limit: Int
    resetsAt: DateTime!
  }

  type ApiKeyConnection {
    nodes: [ApiKey!]!
    pageInfo: PageInfo!
  }

  "An API key, without the key itself."
  type ApiKey {
    id: ID!
    name: String!
    scopes: [String!]!
    "Null for a key that reaches the whole account."
    workspaceId: ID
    "The beginning of the key."
    prefix: String!
    createdAt: DateTime!
    expiresAt: DateTime
    revokedAt: DateTime
  }

  type CreatedApiKey {
    id: ID!
    name: String!
    scopes: [String!]!
    workspaceId: ID
    createdAt: DateTime!
    expiresAt: DateTime
    "Returned only once."
    key: String!
    "The key that it replaces."
    replaced: ReplacedApiKey
  }

  type ReplacedApiKey {
    id: ID!
    expiresAt: DateTime
  }
`

async function listApiKeys(
  _: unknown,
  { first, after }: { readonly first?: number | null; readonly after?: string | null },
  { call }: GraphqlContext,
): Promise<object> {
  const query = { limit: String(pageSize(first)), cursor: after ?? undefined }
  const { apiKeys, nextCursor } = await call('listApiKeys', { query })
  return { nodes: apiKeys, pageInfo: forwardOnly(nextCursor, after) }
}

const rotateApiKey: FieldPlan = {
  weight: 250,
  resolve: (
    _: unknown,
    { id, overlapSeconds }: { readonly id: string; readonly overlapSeconds?: number | null },
    { write }: GraphqlContext,
  ) => write('rotateApiKey', { params: { keyId: id }, body: { overlapSeconds } }),
}

export const accountPart: SchemaPart = {
  types,
  fields: {
    Query: {
      account: (_: unknown, __: unknown, { call }: GraphqlContext) => call('getAccount'),
      apiKeys: { size: 'first', resolve: listApiKeys },
    },
    Mutation: {
      createApiKey: {
        weight: 250,
        resolve: (_: unknown, { input }: { readonly input: WireObject }, { write }: GraphqlContext) =>
          write('createApiKey', { body: input }),
      },
      revokeApiKey: {
        weight: 250,
        async resolve(_: unknown, { id }: { readonly id: string }, { write }: GraphqlContext) {
          await write('revokeApiKey', { params: { keyId: id } })
          return id
        },
      },
      rotateApiKey,
    },
    Account: { workspaces: { size: 20 } },
  },
}

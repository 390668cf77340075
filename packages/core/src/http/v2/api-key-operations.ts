import { z } from 'zod'
import { scopeList, scopes, type ApiKeyRecord, type CreatedKey, type Scope } from '../../access/index.js'
import { TaskboardError, wholeNumber, type InputOf } from '../../errors/index.js'
import type { Instant } from '../../environment/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation } from './operation.js'
import { idText, instantText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const SECOND_MS = 1_000
const LONGEST_OVERLAP_S = 7 * 86_400

const shown = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  workspace_id: z.string().nullable().meta({ description: 'Null for a key that reaches the whole account.' }),
  created_by: z
    .string()
    .nullable()
    .meta({ description: 'The user who made it. Null for a key of the host.' }),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
})
const apiKey = z
  .object({
    ...shown.shape,
    prefix: z.string().meta({ description: 'The first characters of the key.' }),
    revoked_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().meta({ description: 'To within an hour. Null before the first use.' }),
  })
  .meta({ id: 'ApiKey' })
const createdKey = z
  .object({ ...shown.shape, key: z.string().meta({ description: 'Returned only once.' }) })
  .meta({ id: 'CreatedApiKey' })

const keyId = z.object({ key_id: idText })

const createApiKey = operation({
  id: 'createApiKey',
  tag: 'account',
  summary: 'Creates an API key, returned only once',
  description:
    'It can have at most the scopes of its creator. One that lasts for more than a day, or has other scopes than tasks:read and tasks:write, requires a login within ten minutes. It is for one workspace, or else for the whole account. A retry with the same Idempotency-Key gets a 409 with the id.',
  method: 'POST',
  path: '/v2/account/api-keys',
  client: 'apiKeys.create',
  scope: 'account:write',
  userOnly: true,
  idempotent: true,
  body: z.object({
    name: z.string({ error: 'must be text' }).meta({ description: '1 to 100 characters.' }),
    scopes: scopeList,
    expires_at: instantText.nullish(),
    workspace_id: idText.nullish(),
  }),
  example: { name: 'nightly import', scopes: ['tasks:read', 'tasks:write'] },
  answer: { status: 201, schema: createdKey },
  async run({ services, principal, by, request, body }) {
    const { name, scopes: wanted, expires_at: expiresAt, workspace_id: workspaceId } = body
    const input = { name, scopes: wanted, expiresAt, workspaceId }
    if (isLasting(input, services.environment.clock.now())) await services.requireProof(principal)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/account/api-keys', input)
    const created = await services.quota.createHeld(principal, 'apiKeys', (tx) =>
      services.keys.create(principal, input, { idempotency, tx, by }),
    )
    return toWireCreatedKey(created)
  },
})

const DAY_MS = 86_400_000
const ordinary: readonly Scope[] = ['tasks:read', 'tasks:write']

/** Whether a key gives someone with a stolen access token more than that token has, or for longer. */
function isLasting(
  {
    scopes: wanted,
    expiresAt,
  }: { readonly scopes: readonly Scope[]; readonly expiresAt?: Instant | null | undefined },
  now: Instant,
): boolean {
  const isShort = expiresAt != null && expiresAt <= now + DAY_MS
  return !isShort || !wanted.every((scope) => ordinary.includes(scope))
}

const listApiKeys = operation({
  id: 'listApiKeys',
  tag: 'account',
  summary: 'The API keys within reach, newest first, including ended ones',
  method: 'GET',
  path: '/v2/account/api-keys',
  client: 'apiKeys.list',
  scope: 'account:read',
  query: z.object(pageQuery),
  answer: { status: 200, schema: z.object({ api_keys: z.array(apiKey), next_cursor: nextCursor }) },
  async run({ services, principal, query }) {
    const page = await services.keys.list(principal, query)
    return { api_keys: page.keys.map(toWireKey), next_cursor: page.nextCursor }
  },
})

const revokeApiKey = operation({
  id: 'revokeApiKey',
  tag: 'account',
  summary: 'Revokes an API key',
  description: 'Needs at least the scopes of the key.',
  method: 'DELETE',
  path: '/v2/account/api-keys/{key_id}',
  client: 'apiKeys.revoke',
  scope: 'account:write',
  params: keyId,
  answer: { status: 204 },
  run: ({ services, principal, by, params }) => services.keys.revoke(principal, params.key_id, { by }),
})

const revokeCurrentApiKey = operation({
  id: 'revokeCurrentApiKey',
  tag: 'account',
  summary: 'Revokes the API key of the request',
  method: 'DELETE',
  path: '/v2/account/api-keys/current',
  client: 'apiKeys.revokeCurrent',
  scope: 'any',
  answer: { status: 204 },
  async run({ services, principal, by }) {
    if (principal.kind !== 'api_key') throw new TaskboardError('FORBIDDEN', 'only an API key can do this')
    await services.keys.revoke(principal, principal.id, { by })
  },
})

const rotateApiKey = operation({
  id: 'rotateApiKey',
  tag: 'account',
  summary: 'Replaces a key with a new one with the same rights, returned only once',
  description:
    'Only for who made the key; others create another one, and revoke this one. The old key stays valid for overlap_s seconds, by default one day, at most seven days.',
  method: 'POST',
  path: '/v2/account/api-keys/{key_id}/rotate',
  client: 'apiKeys.rotate',
  scope: 'account:write',
  userOnly: true,
  needsProof: true,
  idempotent: true,
  params: keyId,
  body: z.object({
    overlap_s: wholeNumber(0, LONGEST_OVERLAP_S).nullish(),
  }),
  example: { overlap_s: 3_600 },
  answer: {
    status: 201,
    schema: z.object({
      ...createdKey.shape,
      replaced: z.object({ id: z.string(), expires_at: timestamp.nullable() }),
    }),
  },
  async run({ services, principal, by, params, request, body }) {
    const overlapMs = body.overlap_s == null ? null : body.overlap_s * SECOND_MS
    const input = { keyId: params.key_id, overlapMs }
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/account/api-keys/rotate', input)
    const rotated = await services.quota.createHeld(
      principal,
      'apiKeys',
      (tx) => services.keys.rotate(principal, params.key_id, { overlapMs }, { idempotency, tx, by }),
      { isReplacement: true },
    )
    const { id, expiresAt } = rotated.replaced
    return { ...toWireCreatedKey(rotated), replaced: { id, expires_at: toTimestamp(expiresAt) } }
  },
})

/** The API keys of an account. */
export const apiKeyOperations = [createApiKey, listApiKeys, revokeApiKey, revokeCurrentApiKey, rotateApiKey]

function toWireShown({
  id,
  name,
  scopes: own,
  workspaceId,
  createdBy,
  createdAt,
  expiresAt,
}: ApiKeyRecord): InputOf<typeof shown> {
  return {
    id,
    name,
    scopes: own,
    workspace_id: workspaceId,
    created_by: createdBy,
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
  }
}

function toWireKey(record: ApiKeyRecord): InputOf<typeof apiKey> {
  const { prefix, revokedAt, lastUsedAt } = record
  return {
    ...toWireShown(record),
    prefix,
    revoked_at: toTimestamp(revokedAt),
    last_used_at: toTimestamp(lastUsedAt),
  }
}

function toWireCreatedKey({ key, record }: CreatedKey): InputOf<typeof createdKey> {
  return { ...toWireShown(record), key }
}

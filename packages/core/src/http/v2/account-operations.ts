import { z } from 'zod'
import { principalKinds, reaches, scopes, tiers, type Principal, type Workspace } from '../../access/index.js'
import { TaskboardError, type InputOf } from '../../errors/index.js'
import { wireName, type WireName } from '../../fields/index.js'
import { type HeldResource, heldResources, type QuotaUsage, type TierTerms } from '../../limits/index.js'
import { operation, workspaceOf } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const workspace = z
  .object({ id: z.string(), name: z.string(), is_default: z.boolean(), created_at: timestamp })
  .meta({ id: 'Workspace' })

const most = z.int().nullable().meta({ description: 'Null: unlimited.' })
const limits = z.object({ requests_per_hour: most, burst_per_minute: most, websocket_connections: most })
const held = z.object({ used: z.int(), limit: most })
/** A member for each resource that an account holds. */
function heldMembers<T>(valueOf: (resource: HeldResource) => T): {
  readonly [R in HeldResource as WireName<R>]: T
} {
  const members = heldResources.map((resource) => [wireName(resource), valueOf(resource)])
  return Object.fromEntries(members) as ReturnType<typeof heldMembers<T>>
}

const usage = z
  .object({
    tasks_per_month: z.object({
      used: z.int().nullable().meta({ description: 'Null while they are not limited and not counted.' }),
      limit: most,
      resets_at: timestamp,
    }),
    ...heldMembers(() => held),
  })
  .meta({ id: 'Usage' })

const account = z
  .object({
    id: z.string(),
    name: z.string(),
    tier: z.enum(tiers),
    created_at: timestamp,
    require_other_person: z.boolean().meta({
      description: 'Whether another owner has to decide and answer whatever someone asks. The host sets it.',
    }),
    caller: z.object({
      id: z.string(),
      kind: z.enum(principalKinds),
      scopes: z.array(z.enum(scopes)),
    }),
    workspaces: z.array(workspace),
    limits,
    usage,
  })
  .meta({ id: 'Account' })

const newWorkspace = z.object({
  name: z.string({ error: 'must be text' }).meta({ description: '1 to 100 characters.' }),
})

const getAccount = operation({
  id: 'getAccount',
  tag: 'account',
  summary: 'The account, its workspaces, the caller’s scopes, and the usage of the subscription',
  method: 'GET',
  path: '/v2/account',
  client: 'account.get',
  scope: 'account:read',
  answer: { status: 200, schema: account },
  async run({ services, principal }) {
    const { accounts, quota, tiers: terms } = services
    const [{ id, name, tier, createdAt, requireOtherPerson }, workspaces, used] = await Promise.all([
      accounts.get(principal.accountId),
      accounts.listWorkspaces(principal.accountId),
      quota.usage(principal),
    ])
    return {
      id,
      name,
      tier,
      created_at: toTimestamp(createdAt),
      require_other_person: requireOtherPerson,
      caller: { id: principal.id, kind: principal.kind, scopes: principal.scopes },
      workspaces: workspaces
        .filter((each) => reaches(principal, each))
        .map((each) => toWireWorkspace(each, principal)),
      limits: toWireLimits(terms[principal.tier]),
      usage: toWireUsage(used),
    }
  },
})

const createWorkspace = operation({
  id: 'createWorkspace',
  tag: 'account',
  summary: 'Creates a workspace with its own board',
  description: 'Only for callers that reach the whole account. A key for one workspace does not.',
  method: 'POST',
  path: '/v2/workspaces',
  client: 'workspaces.create',
  repeatable: false,
  scope: 'account:write',
  body: newWorkspace,
  example: { name: 'Second' },
  answer: { status: 201, schema: workspace },
  async run({ services, principal, by, body }) {
    requireWholeAccount(principal)
    // It comes with an agent, if the host has any.
    const made = await services.quota.createHeld(principal, 'agents', (tx) =>
      services.accounts.createWorkspace(principal.accountId, body, { tx, by }),
    )
    return toWireWorkspace(made, principal)
  },
})

const getWorkspace = operation({
  id: 'getWorkspace',
  tag: 'account',
  summary: 'One workspace',
  method: 'GET',
  path: '/v2/workspaces/{workspace_id}',
  client: 'workspaces.get',
  scope: 'account:read',
  params: z.object({ workspace_id: idText }),
  answer: { status: 200, schema: workspace },
  async run({ services, principal, params }) {
    const found = await services.accounts.getWorkspace(
      await workspaceOf(services, principal, params.workspace_id),
    )
    return toWireWorkspace(found, principal)
  },
})

const updateWorkspace = operation({
  id: 'updateWorkspace',
  tag: 'account',
  summary: 'Renames a workspace',
  method: 'PATCH',
  path: '/v2/workspaces/{workspace_id}',
  client: 'workspaces.update',
  scope: 'account:write',
  params: z.object({ workspace_id: idText }),
  body: newWorkspace,
  example: { name: 'Renamed' },
  answer: { status: 200, schema: workspace },
  async run({ services, principal, by, params, body }) {
    const id = await workspaceOf(services, principal, params.workspace_id)
    return toWireWorkspace(await services.accounts.updateWorkspace(id, body, { by }), principal)
  },
})

const deleteWorkspace = operation({
  id: 'deleteWorkspace',
  tag: 'account',
  summary: 'Deletes a workspace with its board, and the keys that are bound to it',
  description:
    'Only for callers that reach the whole account. Immediately nothing finds the workspace any more; its tasks are deleted in the background. The last workspace of an account cannot be deleted. Users and keys whose default it was get the account’s oldest other one.',
  method: 'DELETE',
  path: '/v2/workspaces/{workspace_id}',
  client: 'workspaces.delete',
  scope: 'account:write',
  params: z.object({ workspace_id: idText }),
  answer: { status: 204 },
  async run({ services, principal, by, params }) {
    // A key cannot give a proof, and does nothing that was not meant for it.
    if (principal.kind === 'user') await services.requireProof(principal)
    const id = await workspaceOf(services, principal, params.workspace_id)
    requireWholeAccount(principal)
    await services.accounts.deleteWorkspace(id, { wait: false, by })
  },
})

/** The account, its workspaces and its usage. */
export const accountOperations = [getAccount, createWorkspace, getWorkspace, updateWorkspace, deleteWorkspace]

function toWireWorkspace(
  { id, name, createdAt }: Workspace,
  principal: Principal,
): InputOf<typeof workspace> {
  return {
    id,
    name,
    is_default: id === principal.defaultWorkspaceId,
    created_at: toTimestamp(createdAt),
  }
}

function toWireLimits({
  requestsPerHour,
  burstPerMinute,
  webSocketConnections,
}: TierTerms): InputOf<typeof limits> {
  return {
    requests_per_hour: requestsPerHour,
    burst_per_minute: burstPerMinute,
    websocket_connections: webSocketConnections,
  }
}

function toWireUsage({ tasksPerMonth, ...each }: QuotaUsage): InputOf<typeof usage> {
  const { used, limit, resetAt } = tasksPerMonth
  return {
    tasks_per_month: { used, limit, resets_at: toTimestamp(resetAt) },
    ...heldMembers((resource) => each[resource]),
  }
}

/** @throws TaskboardError `FORBIDDEN` for a credential that is bound to a workspace. */
export function requireWholeAccount({ workspaceIds }: Principal): void {
  if (workspaceIds === 'all') return
  throw new TaskboardError('FORBIDDEN', 'the credential is bound to a workspace')
}

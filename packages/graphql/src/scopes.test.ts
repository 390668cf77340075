import type { Principal, Scope } from '@taskboard/core'
import { scopes } from '@taskboard/core'
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHost, type GraphqlHost } from '../test/graphql-host.js'
import { taskboardSchema } from './schema/schema.js'

/**
 * What each root field and each field of a workspace needs, written by hand: the schema cannot be checked against itself. `null`:
 * any credential will do.
 */
const needed: Readonly<Record<string, Readonly<Record<string, Scope | null>>>> = {
  Query: {
    account: 'account:read',
    agent: 'agents:read',
    apiKeys: 'account:read',
    approval: 'tasks:read',
    approvals: 'tasks:read',
    budgets: 'agents:read',
    usage: 'analytics:read',
    schedule: 'tasks:read',
    schedules: 'tasks:read',
    task: 'tasks:read',
    taskComments: 'tasks:read',
    tasks: 'tasks:read',
    webhook: 'webhooks:read',
    webhookDeliveries: 'webhooks:read',
    workspace: null,
    workspaces: 'account:read',
  },
  Mutation: {
    addTaskLogLine: 'tasks:write',
    addTaskOutput: 'tasks:write',
    answerTask: 'tasks:write',
    cancelTask: 'tasks:write',
    claimTask: 'tasks:write',
    commentTask: 'tasks:write',
    completeTask: 'tasks:write',
    createAgent: 'agents:write',
    createApiKey: 'account:write',
    createSchedule: 'tasks:write',
    createTask: 'tasks:write',
    createTasks: 'tasks:write',
    delegateTask: 'tasks:write',
    createWebhook: 'webhooks:write',
    createWorkspace: 'account:write',
    decideApproval: 'approvals:write',
    deleteAgent: 'agents:write',
    deleteSchedule: 'tasks:write',
    deleteTask: 'tasks:write',
    deleteWebhook: 'webhooks:write',
    failTask: 'tasks:write',
    heartbeatTask: 'tasks:write',
    holdTask: 'tasks:write',
    moveTask: 'tasks:write',
    releaseTask: 'tasks:write',
    reportTaskProgress: 'tasks:write',
    requestApproval: 'tasks:write',
    reportTaskUsage: 'tasks:write',
    resendDeliveries: 'webhooks:write',
    revokeApiKey: 'account:write',
    rotateApiKey: 'account:write',
    rotateWebhookSecret: 'webhooks:write',
    setAgentBudget: 'account:write',
    setWorkspaceBudget: 'account:write',
    testWebhook: 'webhooks:write',
    updateAgent: 'agents:write',
    updateSchedule: 'tasks:write',
    updateTask: 'tasks:write',
    updateWebhook: 'webhooks:write',
  },
  Subscription: { taskEvents: 'tasks:read', workspaceEvents: 'tasks:read' },
  Workspace: {
    agents: 'agents:read',
    analytics: 'analytics:read',
    createdAt: null,
    id: null,
    name: null,
    tasks: 'tasks:read',
    webhooks: 'webhooks:read',
  },
}

const schema = taskboardSchema()
let host: GraphqlHost
beforeAll(async () => {
  host = await openHost(undefined, {}, { authenticate: principalOf })
})
afterAll(() => host.close())

/** The host's own login: the credential is the list of what its user may do. */
function principalOf(request: { header(name: string): string | undefined }): Principal {
  const held = (request.header('authorization') ?? '').replace('Bearer ', '').split('+')
  return {
    id: 'user_1',
    kind: 'user',
    accountId: host.accountId,
    tier: 'enterprise',
    scopes: held.filter((each): each is Scope => scopes.includes(each as Scope)),
    workspaceIds: 'all',
    defaultWorkspaceId: host.workspaceId,
  }
}

function fieldsOf(type: string) {
  const found = schema.getType(type)
  if (found === undefined || !('getFields' in found)) throw new TypeError(`no type ${type}`)
  return found.getFields()
}

/** A value that an argument takes. */
function sample(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sample(type.ofType)
  if (isListType(type)) return `[${sample(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]?.name ?? ''
  if (isInputObjectType(type)) {
    // Without a claim, a report needs another scope too.
    const isGiven = (member: GraphQLInputField) =>
      isRequiredInputField(member) || member.name === 'fencingToken'
    const members = Object.values(type.getFields()).filter(isGiven)
    return `{${members.map((member) => `${member.name}: ${sample(member.type)}`).join(', ')}}`
  }
  if (type.name === 'Int' || type.name === 'Float') return '1'
  return type.name === 'DateTime' ? '"2026-01-01T00:00:00Z"' : '"x"'
}

function selectionOf(type: string, name: string): string {
  const field = fieldsOf(type)[name]
  if (field === undefined || !('args' in field)) throw new TypeError(`no field ${type}.${name}`)
  const given = field.args.filter(isRequiredArgument).map((each) => `${each.name}: ${sample(each.type)}`)
  const below = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : ''
  return `${name}${given.length === 0 ? '' : `(${given.join(', ')})`}${below}`
}

async function isRefused(type: string, name: string, held: readonly Scope[]): Promise<boolean> {
  const selection = selectionOf(type, name)
  const text =
    type === 'Workspace'
      ? `{ workspace(id: "${host.workspaceId}") { ${selection} } }`
      : `${type.toLowerCase()} { ${selection} }`
  const { errors } = await host.query(text, {}, held.join('+') || 'none')
  return errors.some(({ extensions }) => extensions['code'] === 'AUTHORIZATION_FAILED')
}

const rows = Object.entries(needed).flatMap(([type, fields]) =>
  Object.entries(fields).map(([name, scope]) => [type, name, scope] as const),
)

describe('scopes', () => {
  it.each(Object.keys(needed))('are written down for every field of %s', (type) => {
    expect(Object.keys(fieldsOf(type)).toSorted()).toEqual(Object.keys(needed[type] ?? {}).toSorted())
  })

  it.each(rows.filter(([type]) => type !== 'Subscription'))('%s.%s needs %s', async (type, name, scope) => {
    expect(await isRefused(type, name, scope === null ? [] : [scope])).toBe(false)
    const others = scopes.filter((each) => each !== scope)
    expect(await isRefused(type, name, others)).toBe(scope !== null)
  })

  it.each(rows.filter(([type]) => type === 'Subscription'))('%s.%s needs %s', (_, name, scope) => {
    const field = schema.getSubscriptionType()?.getFields()[name]
    // With the scope it reaches what this context lacks.
    const context = (held: readonly Scope[]) => ({ principal: { scopes: held }, openStream: () => 'opened' })
    const open = (held: readonly Scope[]) =>
      field?.subscribe?.({}, { workspaceId: 'ws_1' }, context(held), {} as never)
    const refused = expect.objectContaining({ code: 'FORBIDDEN' })
    expect(() => open(scopes.filter((each) => each !== scope))).toThrow(refused)
    expect(
      () => void Promise.resolve(open(scope === null ? [] : [scope])).catch(() => undefined),
    ).not.toThrow()
  })
})

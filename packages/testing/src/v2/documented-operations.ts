import assert from 'node:assert/strict'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'
import type { OpenApiCheck } from './open-api-check.js'

/** By operation id, a body that passes all checks except whether the named things exist. */
const sampleBodies: Readonly<Record<string, object>> = {
  createWorkspace: { name: 'Second' },
  updateWorkspace: { name: 'Renamed' },
  login: { email: 'nobody@example.com', password: 'nothing' },
  refreshTokens: { refresh_token: 'nothing' },
  logout: { refresh_token: 'nothing' },
  createMember: { email: 'member@example.com', password: 'correct horse battery' },
  changePassword: { current_password: 'a wrong one', password: 'another horse battery' },
  sendChatMessage: { message: 'hello' },
  confirmMfa: { mfa_code: '123456' },
  removeMfa: { mfa_code: '123456' },
  createApiKey: { name: 'k', scopes: ['tasks:read'] },
  createWebhook: { url: 'https://receiver.example/hook', events: ['task.created'] },
  updateWebhook: { enabled: true },
  rotateWebhookSecret: {},
  resendDeliveries: { delivery_id: 'evt_00000000000000000000000000' },
  createNotificationChannel: {
    type: SUITE_CHANNEL_TYPE,
    name: 'A channel',
    config: { room: 'a room' },
    events: ['task.created'],
  },
  updateNotificationChannel: { name: 'Another name' },
  createAgent: { name: 'An agent', type: 'custom' },
  updateAgent: { name: 'Another name' },
  createTask: { title: 'A task' },
  createTasks: { tasks: [{ title: 'A task' }] },
  updateTask: { title: 'Another title' },
  moveTask: { to: 'doing' },
  cancelTask: {},
  claimTask: { agent_id: 'agent_00000000000000000000000000' },
  heartbeatTask: { fencing_token: 1 },
  reportTaskProgress: { fencing_token: 1, progress: 50 },
  addTaskLogLine: { fencing_token: 1, message: 'a line' },
  addTaskOutput: { fencing_token: 1, type: 'file', name: 'a file', url: 'https://files.example/1' },
  delegateTask: { fencing_token: 1, tasks: [{ title: 'A subtask' }] },
  completeTask: { fencing_token: 1, result: 'done' },
  failTask: { fencing_token: 1, reason: 'no luck' },
  createComment: { body: 'a comment' },
  answerTask: { body: 'an answer' },
  holdTask: { fencing_token: 1, reason: 'needs_input', message: 'a question' },
  requestApproval: { fencing_token: 1, action: 'refund', summary: 'Refund order 7', input: { order: 7 } },
  decideApproval: { decision: 'approved' },
  reportTaskUsage: { fencing_token: 1, model: 'small', input_tokens: 1, output_tokens: 1 },
  createSchedule: { cron: '0 9 * * *', task: { title: 'A task' } },
  updateSchedule: { enabled: false },
  setAgentBudget: { budget: { tokens: 1_000_000 } },
  setWorkspaceBudget: { budget: null },
}

/** An operation of an OpenAPI document, with a valid body. */
export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  /** The scope that it requires, `any` or `none`. */
  readonly scope: string
  readonly userOnly: boolean
  readonly pathIds: readonly string[]
  readonly queryIds: readonly string[]
  readonly bodyIds: readonly { readonly name: string; readonly kind: string; readonly isList: boolean }[]
  /** The JSON Schema of the body; undefined when it takes none. */
  readonly schema: Readonly<Record<string, unknown>> | undefined
  /** What the body may have. */
  readonly members: readonly string[]
  readonly body: object | undefined
}

type BodySchema = Readonly<Record<string, unknown>> & { readonly properties?: object }

interface Described {
  readonly operationId: string
  readonly 'x-scope': string
  readonly 'x-access-token-only'?: boolean
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: BodySchema }>>
  }
}

/** Members of bodies and queries that are ids, and of what. */
export const ID_MEMBERS: Readonly<Record<string, { readonly kind: string; readonly isList: boolean }>> = {
  workspace_id: { kind: 'workspace_id', isList: false },
  agent_id: { kind: 'agent_id', isList: false },
  assigned_to: { kind: 'agent_id', isList: false },
  depends_on: { kind: 'task_id', isList: true },
  parent_id: { kind: 'task_id', isList: false },
}

/** The operations of API v2 that the document has: those of other protocols name no scope. */
export function documentedOperations({ document }: OpenApiCheck): readonly DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => 'x-scope' in described)
      .map(([method, described]) =>
        toOperation(path, method.toUpperCase(), described as unknown as Described),
      ),
  )
}

function toOperation(path: string, method: string, described: Described): DocumentedOperation {
  const { operationId: id, parameters, requestBody } = described
  const body = sampleBodies[id]
  assert.ok(requestBody?.required !== true || body !== undefined, `sampleBodies has a body for ${id}`)
  const schema = requestBody?.content['application/json']?.schema
  const members = Object.keys(schema?.properties ?? {})
  return {
    id,
    method,
    path,
    scope: described['x-scope'],
    userOnly: described['x-access-token-only'] === true,
    pathIds: parameters.flatMap((each) => (each.in === 'path' ? [each.name] : [])),
    queryIds: parameters.flatMap((each) =>
      each.in === 'query' && each.name.endsWith('_id') ? [each.name] : [],
    ),
    bodyIds: members.flatMap((name) => {
      const known = ID_MEMBERS[name]
      return known === undefined ? [] : [{ name, ...known }]
    }),
    schema,
    members,
    body,
  }
}

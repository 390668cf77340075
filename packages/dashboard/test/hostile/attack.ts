import { agentFields } from '@taskboard/core/storage'
import { hostileTexts, type HostileText } from './strings.js'
import type { Json, Writer } from './writer.js'

/** A board that is full of hostile texts. */
export interface Attacked {
  /** A task of each text, with a log, outputs, a thread and a result. */
  readonly taskIds: readonly string[]
  readonly agentIds: readonly string[]
  readonly replies: readonly { readonly message: string; readonly reply: string }[]
}

const shown = ['title', 'description', 'tags[]', 'metadata.*', 'metadata.*[]']
const wholeTask = [...shown, 'type']
/** The fields of an agent that are texts. */
export const agentTexts = agentFields.fields.flatMap(({ wireName, kind }) => {
  if (kind === 'text') return [wireName]
  return kind === 'texts' ? [`${wireName}[]`] : []
})
const idOf = (json: Json): string => json['id'] as string

/** Writes each text into each field, as records of its own. */
export async function attackWith(writer: Writer, workspaceId: string): Promise<Attacked> {
  const made = await Promise.all(hostileTexts.map((text) => attackBy(writer, text, workspaceId)))
  return {
    taskIds: made.map(({ taskId }) => taskId),
    agentIds: made.map(({ agentId }) => agentId),
    replies: made.map(({ reply }) => reply),
  }
}

async function attackBy(writer: Writer, text: HostileText, workspaceId: string) {
  const write = (operation: string, fields: readonly string[], id = '', rest: Json = {}): Promise<Json> =>
    writer.write({ operation, fields, id, rest }, text)

  const agentId = idOf(await write('POST /v2/agents', agentTexts))
  await write('PATCH /v2/agents/{agent_id}', agentTexts, agentId)
  const claim = async () => {
    const claimed = await writer.send('POST /v2/tasks/claim', '', { agent_id: agentId })
    const task = claimed['task'] as Json
    return { id: idOf(task), lease: { fencing_token: task['fencing_token'] } }
  }
  const claimNew = async () => {
    await write('POST /v2/tasks', shown, '', { assigned_to: agentId })
    return claim()
  }

  const taskId = await workThrough({ write, claim, claimNew })
  await holdTasks({ write, claim, claimNew })
  await addTasks(write)
  await fillSettings(write, workspaceId)
  const message = await write('POST /v2/chat', ['message'])
  return { taskId, agentId, reply: { message: text.whole, reply: message['reply'] as string } }
}

type Write = (operation: string, fields: readonly string[], id?: string, rest?: Json) => Promise<Json>
interface Claimed {
  readonly id: string
  readonly lease: Json
}
interface Work {
  readonly write: Write
  readonly claim: () => Promise<Claimed>
  readonly claimNew: () => Promise<Claimed>
}

/** A task that has everything, and is done. */
async function workThrough({ write, claim, claimNew }: Work): Promise<string> {
  const { id, lease } = await claimNew()
  await write('POST /v2/tasks/{task_id}/logs', ['message'], id, lease)
  await write('POST /v2/tasks/{task_id}/outputs', ['type', 'name', 'url'], id, lease)
  const used = { ...lease, input_tokens: 1, output_tokens: 1, cost_usd: 0.01 }
  await write('POST /v2/tasks/{task_id}/usage', ['model'], id, used)
  await write('POST /v2/tasks/{task_id}/comments', ['body'], id)
  const wanted = await askApproval(write, { id, lease })
  await write('POST /v2/approvals/{approval_id}/decision', ['comment'], wanted, { decision: 'approved' })
  const again = await claim()
  const asked = { ...again.lease, reason: 'needs_input' }
  await write('POST /v2/tasks/{task_id}/hold', ['message'], id, asked)
  await write('POST /v2/tasks/{task_id}/answer', ['body'], id)
  const last = await claim()
  await write('POST /v2/tasks/{task_id}/complete', ['result'], id, last.lease)
  if (last.id !== id || again.id !== id) throw new Error(`claimed ${again.id} and ${last.id}, not ${id}`)
  return id
}

async function askApproval(write: Write, { id, lease }: Claimed): Promise<string> {
  const fields = ['action', 'summary', 'input']
  const { approval } = await write('POST /v2/tasks/{task_id}/approvals', fields, id, lease)
  return idOf(approval as Json)
}

/** Tasks that wait for people, each for another reason. */
async function holdTasks({ write, claimNew }: Work): Promise<void> {
  await askApproval(write, await claimNew())
  const question = await claimNew()
  const asked = { ...question.lease, reason: 'needs_input' }
  await write('POST /v2/tasks/{task_id}/hold', ['message'], question.id, asked)
  const failed = await claimNew()
  await write('POST /v2/tasks/{task_id}/fail', ['reason'], failed.id, { ...failed.lease, retry: false })
  const split = await claimNew()
  const parts = wholeTask.map((field) => `tasks[].${field}`)
  await write('POST /v2/tasks/{task_id}/delegate', parts, split.id, split.lease)
  await write('POST /v2/tasks/{task_id}/cancel', ['message'], split.id)
}

async function addTasks(write: Write): Promise<void> {
  // First on the board.
  const task = await write('POST /v2/tasks', wholeTask, '', { priority: 'urgent' })
  await write('PATCH /v2/tasks/{task_id}', wholeTask, idOf(task))
  const batch = wholeTask.map((field) => `tasks[].${field}`)
  await write('POST /v2/tasks/batch', batch)
  await write('POST /api/board?action=add', wholeTask)
}

async function fillSettings(write: Write, workspaceId: string): Promise<void> {
  const workspace = await write('POST /v2/workspaces', ['name'])
  await write('PATCH /v2/workspaces/{workspace_id}', ['name'], idOf(workspace))
  await write('POST /v2/account/api-keys', ['name'], '', { scopes: ['tasks:read'] })
  const here = { workspace_id: workspaceId }
  await write('POST /v2/account/usage/corrections', ['model', 'reason'], '', { ...here, cost_usd: 0.01 })
  const planned = wholeTask.map((field) => `task.${field}`)
  const schedule = await write('POST /v2/schedules', planned, '', { ...here, cron: '0 9 * * *' })
  await write('PATCH /v2/schedules/{schedule_id}', planned, idOf(schedule))
  const webhook = await write('POST /v2/webhooks', ['url'], '', { ...here, events: ['approval.decided'] })
  await write('PATCH /v2/webhooks/{webhook_id}', ['url'], idOf(webhook))
  const config = { type: 'slack', config: { url: 'https://hooks.example/' }, events: ['agent.alert'] }
  const channel = await write('POST /v2/notification-channels', ['name'], '', { ...here, ...config })
  await write('PATCH /v2/notification-channels/{channel_id}', ['name'], idOf(channel))
}

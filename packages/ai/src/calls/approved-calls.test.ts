import { createTaskboard, type Task } from '@taskboard/core'
import { parseApprovalRequest } from '@taskboard/core/storage'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { tool } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { agentBoard } from '../../test/agent-board.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { aiAgent } from '../ai-agent.js'

/** A host with a gated tool, and a worker outside of it that may write tasks and no more. */
async function hostWithWorker() {
  const refunds: unknown[] = []
  const refund = tool({
    inputSchema: z.strictObject({ order: z.int(), cents: z.int().min(1).max(5_000) }),
    needsApproval: true,
    execute: (input) => void refunds.push(input),
  })
  const { model, prompts } = scriptedModel(['Answered.'])
  const storage = memoryStorage()
  const agents = [aiAgent({ type: 'clerk', model: () => model, tools: { refund } })]
  const taskboard = createTaskboard({ storage, agents, createDefaultAgent: false, logger: false })
  onTestFinished(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const clerk = { name: 'Clerk', type: 'clerk', tools: ['refund'] }
  const [inside, outside] = await Promise.all([
    taskboard.agents.create(workspace.id, clerk),
    taskboard.agents.create(workspace.id, { name: 'Outside', type: 'outside' }),
  ])
  const { id: keyId, key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'worker',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const handle = toFetchHandler(taskboard)
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await handle(
      new Request(`http://board.example/v2${path}`, { method, headers, body: JSON.stringify(body) }),
    )
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return { taskboard, storage, refunds, prompts, inside, outside, keyId, call, workspace }
}

const EVIL = { order: 'x', cents: 99_999_999, note: { any: ['json'] } }
const HARMLESS = { action: 'tool:refund', summary: 'Refund 19.00 EUR for order 7' }

describe('a call that somebody else prepared', () => {
  it('is refused when a worker outside asks for it', async () => {
    const { taskboard, call, inside, outside, refunds, prompts } = await hostWithWorker()
    await taskboard.start()
    const created = await call('POST', '/tasks', { title: 'Mine', assigned_to: outside.id })
    const path = `/tasks/${String(created.body['id'])}`
    const claimed = await call('POST', '/tasks/claim', { agent_id: outside.id })
    const { fencing_token } = claimed.body['task'] as { readonly fencing_token: number }
    const asked = await call('POST', `${path}/approvals`, { ...HARMLESS, input: EVIL, fencing_token })
    expect(asked).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { field: 'action' } } },
    })
    const ended = new Promise((resolve) => taskboard.events.once('task.completed', resolve))
    expect((await call('PATCH', path, { assigned_to: inside.id })).status).toBe(200)
    await ended
    expect(prompts()).toHaveLength(1)
    expect(refunds).toEqual([])
  })

  it('is never done by the agent of the host, though a person approved it', async () => {
    const host = await hostWithWorker()
    const { taskboard, storage, inside, outside, keyId, call, refunds, prompts, workspace } = host
    const board = taskboard.board(workspace.id)
    const { id } = await board.add({ title: 'Mine', assignedTo: outside.id })
    const claimed = (await board.claim({ agentId: outside.id })) as Task
    // What was stored before actions of tools were refused, or by a storage of the host's own.
    const { approval } = await storage.approvals.requestApproval(
      {
        proof: { workspaceId: workspace.id, taskId: id, fencingToken: claimed.lease?.fencingToken ?? 0 },
        request: parseApprovalRequest({ ...HARMLESS, input: { order: 7, cents: 1_900 } }),
        requestedBy: { kind: 'api_key', id: keyId },
        asker: { kind: 'credential', owner: keyId, isSession: false },
        expireAfterMs: 60_000,
      },
      { now: null },
    )
    expect((await call('PATCH', `/tasks/${id}`, { assigned_to: inside.id })).status).toBe(200)
    await board.decide(approval.id, { decision: 'approved' }, { actor: { kind: 'user', id: 'user_1' } })
    const ended = new Promise<string>((resolve) => {
      for (const type of ['task.completed', 'task.failed'] as const)
        taskboard.events.once(type, () => resolve(type))
    })
    await taskboard.start()
    expect(await ended).toBe('task.completed')
    expect(prompts()).toHaveLength(1)
    expect(refunds).toEqual([])
    const { approvals } = await board.approvals(id)
    expect(approvals.map(({ status }) => status)).toEqual(['approved'])
  })
})

describe('an approved input', () => {
  it('passes the schema of the tool again before the call', async () => {
    const refunds: unknown[] = []
    let most = 5_000
    const refund = tool({
      inputSchema: z.object({ cents: z.number().refine((cents) => cents <= most, { error: 'too much' }) }),
      needsApproval: true,
      execute: (input) => void refunds.push(input),
    })
    const { model } = scriptedModel([[['refund', { cents: 1_900 }]], 'Not refunded.'])
    const host = await agentBoard({ model: () => model, tools: { refund } }, { tools: ['refund'] })
    const { id } = await host.work({ title: 'Refund' })
    most = 1_000
    const ended = host.nextEnd()
    const [asked] = await host.approvals()
    expect(asked?.asker).toEqual({ kind: 'runtime', owner: null, isSession: false })
    await host.board.decide(asked?.id ?? '', { decision: 'approved' })
    await ended
    expect((await host.board.get(id)).result).toBe('Not refunded.')
    expect(refunds).toEqual([])
    expect((await host.approvals()).map(({ status }) => status)).toEqual(['approved'])
    expect((await host.board.logs(id)).map(({ message }) => message).join('\n')).toContain('too much')
  })
})

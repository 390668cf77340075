import { afterEach, describe, expect, it } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { call, connect, refused, versions } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { workThrough } from '@taskboard/kit/mcp/story'
import { decodeRun, encodeRun } from './run-handle.js'

let host: McpHost
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  await host.close()
})

describe.each(mounts)('an agent with the tools alone, on %s', (_, mount) => {
  it.each(versions)(
    'claims, asks, is answered, has an action approved and completes, by %s',
    async (version) => {
      host = await serveMcp({ mount })
      client = await connect(host.url, host.workerKey, { version })
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      await workThrough(client, host)
    },
  )
})

describe('the endpoint', () => {
  it('refuses a run that another claim has superseded', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Translate' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    await host.board.move(id, 'TODO')
    const again = await call(client, 'claim_task', { agent: host.agentId })
    expect(again['run']).not.toBe(run)
    expect(await refused(client, 'complete_task', { run, result: 'late' })).toMatchObject({
      code: 'CONFLICT',
    })
    await call(client, 'complete_task', { run: again['run'], result: 'in time' })
    expect(await host.board.get(id)).toMatchObject({ result: 'in time' })
  })

  it('gives a model ten minutes for each call', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Translate' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    expect((await host.board.get(id)).lease?.durationMs).toBe(600_000)
    await call(client, 'report_progress', { run, progress: 10 })
    const { lease, updatedAt } = await host.board.get(id)
    expect((lease?.expiresAt ?? 0) - updatedAt).toBe(600_000)
  })

  it('keeps a task for as long as the model says, and gives it back unfinished', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Build' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId, lease_minutes: 90 })
    expect((await host.board.get(id)).lease?.durationMs).toBe(5_400_000)
    await call(client, 'release_task', { run })
    expect(await host.board.get(id)).toMatchObject({ column: 'TODO', attempts: 0 })
    const refusal = await refused(client, 'complete_task', { run, result: 'late' })
    expect(refusal).toMatchObject({ details: { field: 'run' } })
    expect(JSON.stringify(refusal)).not.toContain('fencing')
  })

  it('claims the task that it is told to, also when its run was lost', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    await host.board.add({ title: 'First', priority: 'urgent' })
    const { id } = await host.board.add({ title: 'Second', priority: 'low' })
    const named = { agent: host.agentId, task_id: id }
    const lost = await call(client, 'claim_task', named)
    expect(lost['task']).toMatchObject({ id, attempts: 1 })
    const found = await call(client, 'claim_task', named)
    expect(found['task']).toMatchObject({ id, attempts: 1 })
    expect(await refused(client, 'complete_task', { run: lost['run'], result: 'x' })).toMatchObject({
      code: 'CONFLICT',
    })
    await call(client, 'complete_task', { run: found['run'], result: 'done' })
    expect(await refused(client, 'claim_task', named)).toMatchObject({
      message: 'the task cannot be claimed: it is done',
    })
  })

  it('splits the task of a run, waits for the parts, and puts one aside', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Newsletter', priority: 'urgent' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    const tasks = [{ title: 'Text' }, { title: 'Layout', priority: 'high' }]
    const parts = await call(client, 'delegate_tasks', { run, tasks, wait: true, idempotency_key: 'split' })
    expect(parts['next']).toContain('The run is over')
    const [text, layout] = parts['tasks'] as readonly [{ id: string }, { id: string }]
    expect(await host.board.get(layout.id)).toMatchObject({ parentId: id, priority: 'high' })
    expect(await refused(client, 'complete_task', { run, result: 'x' })).toMatchObject({ code: 'CONFLICT' })
    const urgent = await client.callTool({ name: 'list_tasks', arguments: { priority: 'urgent' } })
    expect(urgent).toMatchObject({
      structuredContent: { tasks: [{ id }] },
      content: [{ text: '1 task' }, {}],
    })
    expect(await call(client, 'cancel_task', { task_id: text.id, message: 'not now' })).toMatchObject({
      status: 'cancelled',
    })
    expect((await host.board.get(text.id)).hold).toMatchObject({ reason: 'cancelled', message: 'not now' })
  })

  it('counts what a run has used', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Count' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    const used = { run, model: 'm', input_tokens: 100, output_tokens: 20, cost_usd: 0.5 }
    expect(await call(client, 'report_usage', used)).toMatchObject({ spent: null })
    const [sum] = await host.taskboard.usage.ofTask(host.workspaceId, id, 'model')
    expect(sum).toMatchObject({ key: 'm', inputTokens: 100, outputTokens: 20 })
  })

  it('reads a long result and log in parts', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Long' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    for (let line = 0; line < 25; line++) await call(client, 'add_log', { run, message: `line ${line}` })
    await call(client, 'complete_task', { run, result: `${'a'.repeat(20_000)}bc` })
    const first = await call(client, 'get_task', { task_id: id })
    expect(first).toMatchObject({ result: 'a'.repeat(20_000), next_result_offset: 20_000 })
    expect((first['logs'] as readonly { message: string }[]).map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index + 5}`),
    )
    const rest = await call(client, 'get_task', { task_id: id, result_offset: 20_000, log_lines: 0 })
    expect(rest).toMatchObject({ result: 'bc', next_result_offset: null, logs: [] })
  })

  it('reads a long thread page by page', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Talk' })
    const bodies = Array.from({ length: 60 }, (_, index) => `comment ${index}`)
    for (const body of bodies) await host.board.comment(id, { body })
    const first = await call(client, 'get_task', { task_id: id })
    const cursor = first['next_comments_cursor']
    const rest = await call(client, 'get_task', { task_id: id, comments_cursor: cursor })
    const read = [first, rest].flatMap((page) => page['comments'] as readonly { readonly body: string }[])
    expect(read.map(({ body }) => body)).toEqual(bodies)
    expect(rest['next_comments_cursor']).toBeNull()
  })

  it('allows a forged run what the REST API allows: nothing without the fencing token of the claim', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Translate' })
    const { run } = await call(client, 'claim_task', { agent: host.agentId })
    const { fencingToken } = decodeRun(String(run))
    const forge = (token: number, agentId: string) => encodeRun({ taskId: id, agentId, fencingToken: token })
    for (const token of [fencingToken - 1, fencingToken + 1, 1, Number.MAX_SAFE_INTEGER]) {
      if (token === fencingToken || token < 1) continue
      const refusal = await refused(client, 'fail_task', {
        run: forge(token, host.agentId),
        reason: 'forged',
      })
      expect(refusal).toMatchObject({ code: 'CONFLICT' })
    }
    const stranger = await host.taskboard.accounts.create({ name: 'Other', tier: 'enterprise' })
    const made = { accountId: stranger.account.id, name: 'key', scopes: ['tasks:write' as const] }
    const thief = await connect(host.url, (await host.taskboard.accounts.createKey(made)).key)
    try {
      const refusal = await refused(thief, 'fail_task', { run, reason: 'stolen' })
      expect(refusal).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    } finally {
      await thief.close()
    }
    expect(await call(client, 'get_task', { task_id: id })).toMatchObject({
      status: 'in_progress',
      attempts: 1,
    })
  })
})

import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import { call, refused } from './mcp-client.js'
import type { McpHost } from './mcp-host.js'

type Board = Pick<McpHost, 'url' | 'agentId' | 'personKey' | 'board'>

/** Works one task from its creation to its end, with a question and an approval. A person answers and decides, over the REST API. */
export async function workThrough(client: Client, { url, agentId, personKey, board }: Board): Promise<void> {
  // The client compares each answer with the output schema of its tool, once it knows that.
  await client.listTools()
  const claim = () => call(client, 'claim_task', { agent: agentId })
  const person = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${personKey}`, 'content-type': 'application/json' }
    const { ok } = await fetch(`${url}/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(ok).toBe(true)
  }
  const created = await call(client, 'create_task', { title: 'Refund order 7', priority: 'high' })
  const taskId = String(created['id'])

  const first = await claim()
  expect(first).toMatchObject({
    task: { id: taskId, title: 'Refund order 7' },
    question: null,
    answer: null,
    answered_by: null,
    approvals: [],
  })
  expect(await call(client, 'report_progress', { run: first['run'], progress: 20 })).toMatchObject({
    status: 'in_progress',
    progress: 20,
  })
  await call(client, 'add_log', { run: first['run'], message: 'looked up the order' })
  await call(client, 'ask_person', { run: first['run'], question: 'All of it?' })
  expect(await call(client, 'board_summary')).toMatchObject({ needs_input: { tasks: [{ id: taskId }] } })
  expect(await claim()).toMatchObject({ run: null, task: null })
  const own = { task_id: taskId, body: 'Yes, go ahead.', answers: true }
  expect(await refused(client, 'comment_on_task', own)).toMatchObject({ code: 'AUTHORIZATION_FAILED' })
  await person(`tasks/${taskId}/answer`, { body: 'All of it.' })

  const second = await claim()
  expect(second).toMatchObject({
    task: { id: taskId },
    question: 'All of it?',
    answer: 'All of it.',
    answered_by: expect.stringMatching(/^the answer by a key \(.+\)$/) as string,
    next: expect.stringContaining('answer by a key to question, not of a person') as string,
  })
  const refund = { action: 'refund', summary: 'Refund order 7', input: { order: 7 } }
  const asked = await call(client, 'request_approval', { run: second['run'], ...refund })
  expect(asked).toMatchObject({ outcome: 'pending', comment: null })
  await person(`approvals/${String(asked['approval_id'])}/decision`, { decision: 'approved' })

  const third = await claim()
  expect(await call(client, 'request_approval', { run: third['run'], ...refund })).toMatchObject({
    outcome: 'approved',
  })
  const receipt = { type: 'pdf', name: 'receipt.pdf', url: 'https://files.example/receipt.pdf' }
  expect(await call(client, 'add_output', { run: third['run'], ...receipt })).toEqual({
    ...receipt,
    size: null,
  })
  expect(third['approvals']).toMatchObject([{ action: 'refund', input: { order: 7 }, status: 'approved' }])
  expect(await call(client, 'get_approval', { approval_id: asked['approval_id'] })).toMatchObject({
    task_id: taskId,
    input: { order: 7 },
    status: 'used',
  })
  expect(await call(client, 'complete_task', { run: third['run'], result: 'refunded' })).toMatchObject({
    status: 'completed',
  })

  const seen = await call(client, 'get_task', { task_id: taskId })
  expect(seen).toMatchObject({ status: 'completed', result: 'refunded', outputs: [receipt] })
  expect((seen['comments'] as { by: string }[]).map(({ by }) => by.replace(/ \(.*/, ''))).toEqual([
    'the question by an agent',
    'the answer by a key',
    'the decision by a key',
  ])
  expect((await board.get(taskId)).attempts).toBe(1)
}

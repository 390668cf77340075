import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import type { MountedHost } from '@taskboard/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '@taskboard/kit/hosts/express-host'
import { taskboardRouter } from './index.js'

type Json = Record<string, unknown>

let host: MountedHost
let workerKey: string
let personKey: string
let agentId: string
beforeEach(async () => {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  host = await listen(express().use(taskboardRouter(taskboard)))
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const keyWith = async (...scopes: ('tasks:read' | 'tasks:write' | 'agents:write' | 'approvals:write')[]) =>
    (await taskboard.accounts.createKey({ accountId: account.id, name: scopes.join(), scopes })).key
  workerKey = await keyWith('tasks:read', 'tasks:write', 'agents:write')
  personKey = await keyWith('tasks:read', 'tasks:write', 'approvals:write')
  agentId = (await taskboard.agents.create(workspace.id, { name: 'Remote', type: 'remote' })).id
})
afterEach(() => host.close())

/** Sends a request as the owner of a key, and resolves to what it is answered. */
async function send(key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${host.url}/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-api-version': '2' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, data: (await response.json()) as Json }
}

async function ok(...request: Parameters<typeof send>): Promise<Json> {
  const { status, data } = await send(...request)
  expect([200, 201]).toContain(status)
  return data
}

const asPerson = (method: string, path: string, body?: object) => ok(personKey, method, path, body)
const asWorker = (method: string, path: string, body?: object) => ok(workerKey, method, path, body)

async function add(title: string): Promise<string> {
  return String((await asPerson('POST', 'tasks', { title }))['id'])
}

/** The best task, with its token; null when there is none. */
async function claim(): Promise<Json | null> {
  return (await asWorker('POST', 'tasks/claim', { agent_id: agentId }))['task'] as Json | null
}

async function commentsOf(id: string): Promise<readonly (readonly [unknown, unknown])[]> {
  const { comments } = await asWorker('GET', `tasks/${id}/comments`)
  return (comments as Json[]).map(({ kind, body }) => [kind, body])
}

describe('a worker that has the board over HTTP alone', () => {
  it('asks, is answered, and goes on with the answer in an attempt that counts as the first', async () => {
    const id = await add('Translate the manual')
    const first = await claim()
    expect(first).toMatchObject({ id, attempts: 1 })
    const question = { fencing_token: first?.['fencing_token'], reason: 'needs_input', message: 'Which one?' }
    expect(await asWorker('POST', `tasks/${id}/hold`, question)).toMatchObject({
      status: 'blocked',
      lease_expires_at: null,
    })
    // An attempt that asks does not count.
    expect(await asPerson('GET', `tasks/${id}`)).toMatchObject({ attempts: 0 })
    expect(await claim()).toBeNull()

    await asPerson('POST', `tasks/${id}/answer`, { body: 'French' })
    const second = await claim()
    expect(second).toMatchObject({ id, attempts: 1, hold: null, answer: { body: 'French' } })
    expect(Number(second?.['fencing_token'])).toBeGreaterThan(Number(first?.['fencing_token']))
    expect(await commentsOf(id)).toEqual([
      ['question', 'Which one?'],
      ['answer', 'French'],
    ])
    const stale = { fencing_token: first?.['fencing_token'], result: 'late' }
    expect((await send(workerKey, 'POST', `tasks/${id}/complete`, stale)).status).toBe(409)
    const completion = { fencing_token: second?.['fencing_token'], result: 'le manuel' }
    await asWorker('POST', `tasks/${id}/complete`, completion)
    expect(await asPerson('GET', `tasks/${id}`)).toMatchObject({
      status: 'completed',
      result: 'le manuel',
      attempts: 1,
    })
  })

  it('does what a person approves, once, and not what a person rejects', async () => {
    const id = await add('Refund order 7')
    const refund = { action: 'refund', summary: 'Refund order 7', input: { order: 7, cents: 1_900 } }
    const request = async (token: unknown, input: Json = refund.input) =>
      asWorker('POST', `tasks/${id}/approvals`, { ...refund, input, fencing_token: token })
    const token = async () => (await claim())?.['fencing_token']
    const decide = async (asked: Json, decision: string) => {
      const path = `approvals/${String((asked['approval'] as Json)['id'])}/decision`
      expect((await send(workerKey, 'POST', path, { decision: 'approved' })).status).toBe(403)
      await asPerson('POST', path, { decision, comment: `${decision} by me` })
      expect((await send(personKey, 'POST', path, { decision })).status).toBe(409)
    }

    const asked = await request(await token())
    expect(asked['outcome']).toBe('pending')
    expect(await asPerson('GET', `tasks/${id}`)).toMatchObject({ status: 'blocked', attempts: 0 })
    expect(await claim()).toBeNull()
    const { approvals } = await asPerson('GET', 'approvals?status=pending')
    expect(approvals).toEqual([asked['approval']])
    await decide(asked, 'approved')

    const next = await claim()
    expect(next).toMatchObject({ id, attempts: 1 })
    expect((await request(next?.['fencing_token']))['outcome']).toBe('approved')
    const again = await request(next?.['fencing_token'])
    expect(again['outcome']).toBe('pending')
    await decide(again, 'rejected')

    const last = await claim()
    const rejected = await request(last?.['fencing_token'])
    expect(rejected).toMatchObject({ outcome: 'rejected', approval: { comment: 'rejected by me' } })
    expect(await commentsOf(id)).toEqual([
      ['decision', 'Approved: refund\n\napproved by me'],
      ['decision', 'Rejected: refund\n\nrejected by me'],
    ])
  })

  it('splits its task, and goes on when the parts are done, with their results', async () => {
    const id = await add('Write the newsletter')
    const parent = await claim()
    const split = {
      fencing_token: parent?.['fencing_token'],
      tasks: [{ title: 'text' }, { title: 'layout', depends_on: [0] }],
      wait: true,
    }
    const { tasks } = await asWorker('POST', `tasks/${id}/delegate`, split)
    const parts = tasks as Json[]
    expect(parts).toMatchObject([{ title: 'text', parent_id: id }, { title: 'layout' }])
    for (const part of parts) {
      const claimed = await claim()
      expect(claimed?.['id']).toBe(part['id'])
      const completion = { fencing_token: claimed?.['fencing_token'], result: `the ${String(part['title'])}` }
      await asWorker('POST', `tasks/${String(part['id'])}/complete`, completion)
    }
    const next = await claim()
    expect(next).toMatchObject({ id, attempts: 1, depends_on: parts.map((part) => part['id']) })
    const results = await Promise.all(
      (next as { depends_on: string[] }).depends_on.map(
        async (part) => (await asWorker('GET', `tasks/${part}`))['result'],
      ),
    )
    expect(results).toEqual(['the text', 'the layout'])
    const completion = { fencing_token: next?.['fencing_token'], result: results.join(' and ') }
    await asWorker('POST', `tasks/${id}/complete`, completion)
    expect(await asPerson('GET', `tasks/${id}`)).toMatchObject({ result: 'the text and the layout' })
  })
})

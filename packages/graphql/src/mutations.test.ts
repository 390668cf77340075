import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHost, type GraphqlHost } from '../test/graphql-host.js'
import { taskboardSchema } from './schema/schema.js'

let host: GraphqlHost
const tried = new Set<string>()
beforeAll(async () => {
  host = await openHost(undefined, {}, { webhooks: { allow: ['127.0.0.0/8'] } })
})
afterAll(() => host.close())

/** Runs one mutation, which must not fail; gives its value. */
async function write<T = Record<string, unknown>>(field: string, variables: object = {}): Promise<T> {
  const name = /^\w+/.exec(field)?.[0] ?? ''
  tried.add(name)
  const declared = Object.entries(variables).map(([key, value]) => `$${key}: ${typeOf(key, value)}`)
  const head = declared.length === 0 ? '' : `(${declared.join(', ')})`
  const { errors, data } = await host.query(`mutation ${head} { ${field} }`, variables)
  expect({ field, errors }).toEqual({ field, errors: [] })
  return data?.[name] as T
}

function typeOf(name: string, value: unknown): string {
  return name === 'id' || name.endsWith('Id') ? 'ID!' : typeof value === 'number' ? 'Int!' : 'String!'
}

describe('what is written', () => {
  it('tasks, as people manage them', async () => {
    const made = await write<{ id: string }>(
      `createTask(input: {title: "One", type: "Monthly report", priority: HIGH, tags: ["a"], metadata: {my_key: ["x"]},
        deadline: "2030-01-01T01:00:00+01:00", notBefore: "2029-01-01T00:00:00Z"}) {
        id title type priority status column tags metadata deadline notBefore dependsOn hold { reason } }`,
    )
    expect(made).toEqual({
      id: expect.stringMatching(/^task_/),
      title: 'One',
      type: 'Monthly report',
      priority: 'HIGH',
      status: 'PENDING',
      column: 'TODO',
      tags: ['a'],
      metadata: { my_key: ['x'] },
      deadline: '2030-01-01T00:00:00.000Z',
      notBefore: '2029-01-01T00:00:00.000Z',
      dependsOn: [],
      hold: null,
    })
    const { id } = made
    const changed = 'updateTask(id: $id, input: {title: "Two", deadline: null}) { title deadline priority }'
    expect(await write(changed, { id })).toEqual({ title: 'Two', deadline: null, priority: 'HIGH' })
    expect(
      await write('cancelTask(id: $id, message: "no") { status hold { reason message } }', { id }),
    ).toEqual({
      status: 'CANCELLED',
      hold: { reason: 'CANCELLED', message: 'no' },
    })
    expect(await write('releaseTask(id: $id) { status hold { reason } }', { id })).toEqual({
      status: 'PENDING',
      hold: null,
    })
    expect(await write('moveTask(id: $id, to: DONE) { status column }', { id })).toEqual({
      status: 'COMPLETED',
      column: 'DONE',
    })
    expect(await write('deleteTask(id: $id)', { id })).toBe(id)
    expect((await host.query('query ($id: ID!) { task(id: $id) { id } }', { id })).data).toEqual({
      task: null,
    })
  })

  it('a list of tasks, which depend on each other by their positions', async () => {
    const { id: parentId } = await write<{ id: string }>('createTask(input: {title: "whole"}) { id }')
    const ids = await write<string[]>(
      `createTasks(tasks: [
        {title: "one", deadline: "2030-01-01T00:00:00Z", parentId: $parentId}
        {title: "two", dependsOn: [$parentId], follows: [0]}
      ])`,
      { parentId },
    )
    const read = async (id: string | undefined): Promise<unknown> =>
      (await host.query('query ($id: ID!) { task(id: $id) { title parentId deadline dependsOn } }', { id }))
        .data?.['task']
    const deadline = '2030-01-01T00:00:00.000Z'
    expect(await read(ids[0])).toEqual({ title: 'one', parentId, deadline, dependsOn: [] })
    const dependsOn = [parentId, ids[0]]
    expect(await read(ids[1])).toEqual({ title: 'two', parentId: null, deadline: null, dependsOn })
    for (const id of [ids[1], ids[0], parentId]) await write('deleteTask(id: $id)', { id: String(id) })
  })

  it('agents, and the tasks that they claim', async () => {
    const agent = await write<{ id: string }>(
      'createAgent(input: {name: "Ada", type: "Deep research", systemPrompt: "Be brief.", capabilities: ["sums"]}) { id name type systemPrompt capabilities tools successRate }',
    )
    expect(agent).toMatchObject({
      name: 'Ada',
      type: 'Deep research',
      systemPrompt: 'Be brief.',
      tools: [],
      successRate: 1,
    })
    const agentId = agent.id
    const claim =
      'claimTask(input: {agentId: $agentId, leaseSeconds: 120}) { task { id status agent { id } } fencingToken leaseExpiresAt }'
    expect(await write(claim, { agentId })).toBeNull()
    const ids: string[] = []
    for (const title of ['Done', 'Failed'])
      ids.push(
        (
          await host.taskboard
            .board(host.workspaceId)
            .add({ title, priority: title === 'Done' ? 'urgent' : 'low' })
        ).id,
      )
    const claimed = await write<{ fencingToken: number; leaseExpiresAt: string }>(claim, { agentId })
    expect(claimed).toMatchObject({ task: { id: ids[0], status: 'IN_PROGRESS', agent: { id: agentId } } })
    expect(Date.parse(claimed.leaseExpiresAt) - host.clock.now()).toBe(120_000)
    const held = { id: ids[0], token: claimed.fencingToken }
    expect(
      await write(
        'heartbeatTask(id: $id, input: {fencingToken: $token}) { status progress leaseExpiresAt }',
        held,
      ),
    ).toEqual({ status: 'IN_PROGRESS', progress: 0, leaseExpiresAt: claimed.leaseExpiresAt })
    expect(
      await write(
        'reportTaskProgress(id: $id, input: {fencingToken: $token, progress: 30}) { progress }',
        held,
      ),
    ).toEqual({ progress: 30 })
    expect(
      await write(
        'addTaskLogLine(id: $id, input: {fencingToken: $token, message: "hello", level: WARN}) { message level }',
        held,
      ),
    ).toEqual({ message: 'hello', level: 'WARN' })
    const output = { type: 'file', name: 'a.pdf', url: 'https://files.example/a.pdf', size: 12 }
    expect(
      await write(
        'addTaskOutput(id: $id, input: {fencingToken: $token, type: "file", name: "a.pdf", url: "https://files.example/a.pdf", size: 12}) { type name url size }',
        held,
      ),
    ).toEqual(output)
    for (let time = 0; time < 2; time++) {
      expect(
        await write(
          'completeTask(id: $id, input: {fencingToken: $token, result: "ok"}) { status progress leaseExpiresAt }',
          held,
        ),
      ).toEqual({ status: 'COMPLETED', progress: 100, leaseExpiresAt: null })
    }
    const shown = await host.query(
      'query ($id: ID!) { task(id: $id) { result logs { message level timestamp } outputs { type name url size } } }',
      held,
    )
    expect(shown.data).toEqual({
      task: {
        result: 'ok',
        logs: [{ message: 'hello', level: 'WARN', timestamp: new Date(host.clock.now()).toISOString() }],
        outputs: [output],
      },
    })
    const other = await write<{ fencingToken: number }>(claim, { agentId })
    const given = { id: ids[1], token: other.fencingToken }
    expect(
      await write(
        'failTask(id: $id, input: {fencingToken: $token, reason: "no", retry: false}) { status }',
        given,
      ),
    ).toEqual({ status: 'FAILED' })
    expect(
      await write(
        'updateAgent(id: $id, input: {name: "Bea", systemPrompt: null}) { name type systemPrompt }',
        { id: agentId },
      ),
    ).toEqual({ name: 'Bea', type: 'Deep research', systemPrompt: null })
    expect(await write('deleteAgent(id: $id)', { id: agentId })).toBe(agentId)
  })

  it('webhooks', async () => {
    const { id } = await write<{ id: string }>(
      'createWebhook(input: {url: "http://127.0.0.1:9/hook", events: ["task.completed"], generateSecret: true}) { id url events signed weakSecret enabled secret }',
    )
    expect(
      await write('testWebhook(id: $id) { status event { type } attempts { status } }', { id }),
    ).toMatchObject({ status: expect.any(String) })
    expect(
      await write('resendDeliveries(id: $id, from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z")', {
        id,
      }),
    ).toBe(0)
    const read = await host.query(
      'query ($id: ID!) { webhook(id: $id) { id enabled } webhookDeliveries(webhookId: $id, first: 5) { nodes { event { type } attemptCount } pageInfo { hasNextPage } } }',
      { id },
    )
    expect(read.errors).toEqual([])
    expect(read.data).toMatchObject({
      webhook: { id },
      webhookDeliveries: { nodes: [{ attemptCount: expect.any(Number) }] },
    })
    expect(
      await write('updateWebhook(id: $id, input: {enabled: false}) { enabled signed disabledReason }', {
        id,
      }),
    ).toEqual({ enabled: false, signed: true, disabledReason: 'HOST' })
    expect(
      await write(
        'rotateWebhookSecret(id: $id, secret: "more than 16 characters", overlapSeconds: 60) { secret webhook { id } }',
        { id },
      ),
    ).toEqual({ secret: 'more than 16 characters', webhook: { id } })
    expect(await write('deleteWebhook(id: $id)', { id })).toBe(id)
  })

  it('workspaces, and keys as far as a key may', async () => {
    expect(await write('createWorkspace(input: {name: "Next"}) { name isDefault }')).toEqual({
      name: 'Next',
      isDefault: false,
    })
    const extra = await host.taskboard.accounts.createKey({
      accountId: host.accountId,
      name: 'x',
      scopes: ['tasks:read'],
    })
    expect(await write('revokeApiKey(id: $id)', { id: extra.id })).toBe(extra.id)
    // Keys are made and replaced by users alone.
    for (const field of [
      'createApiKey(input: {name: "a", scopes: ["tasks:read"]}) { key }',
      'rotateApiKey(id: "ak_x", overlapSeconds: 60) { key }',
    ]) {
      tried.add(/^\w+/.exec(field)?.[0] ?? '')
      const { errors } = await host.query(`mutation { ${field} }`)
      expect(errors).toMatchObject([{ extensions: { code: 'AUTHORIZATION_FAILED' } }])
    }
  })

  const agentIds = new Map<string, string>()
  const claimOf = async (title: string): Promise<{ id: string; token: number }> => {
    const agent = await host.taskboard.agents.create(host.workspaceId, { name: title, type: title })
    agentIds.set(title, agent.id)
    await host.taskboard.board(host.workspaceId).add({ title, type: title })
    const { task, fencingToken } = await write<{ task: { id: string }; fencingToken: number }>(
      'claimTask(input: {agentId: $agentId}) { task { id } fencingToken }',
      { agentId: agent.id },
    )
    return { id: task.id, token: fencingToken }
  }

  it('a question, its answer, and other comments', async () => {
    const held = await claimOf('Asking')
    const { id } = held
    expect(
      await write(
        'holdTask(id: $id, input: {fencingToken: $token, reason: NEEDS_INPUT, message: "Which one?", requireOtherPerson: true}) { status }',
        held,
      ),
    ).toEqual({ status: 'BLOCKED' })
    expect(
      await write('commentTask(id: $id, body: "Good question.") { kind body author { kind } }', { id }),
    ).toEqual({ kind: 'COMMENT', body: 'Good question.', author: { kind: 'API_KEY' } })
    tried.add('answerTask')
    const answer = 'mutation ($id: ID!) { answerTask(id: $id, body: "The blue one.") { kind } }'
    expect((await host.query(answer, { id })).errors).toHaveLength(1)
    await host.query(answer, { id }, await host.makeKey(['tasks:write']))
    const { data } = await host.query(
      'query ($id: ID!) { task(id: $id) { status attempts } taskComments(taskId: $id) { nodes { kind body } pageInfo { hasNextPage } } }',
      { id },
    )
    expect(data).toEqual({
      task: { status: 'PENDING', attempts: 0 },
      taskComments: {
        nodes: [
          { kind: 'QUESTION', body: 'Which one?' },
          { kind: 'COMMENT', body: 'Good question.' },
          { kind: 'ANSWER', body: 'The blue one.' },
        ],
        pageInfo: { hasNextPage: false },
      },
    })
    const again = await write('claimTask(input: {agentId: $agentId}) { answer { body author { kind } } }', {
      agentId: agentIds.get('Asking'),
    })
    expect(again).toEqual({ answer: { body: 'The blue one.', author: { kind: 'API_KEY' } } })
  })

  it('a request for approval, which its own key cannot decide', async () => {
    const held = await claimOf('Refunding')
    const inputJson = '{"orderId":7,"order_id":8,"lease":{"leaseSeconds":9}}'
    const { approval } = await write<{ approval: { id: string } }>(
      'requestApproval(id: $id, input: {fencingToken: $token, action: "refund", summary: "Refund order 7", inputJson: $inputJson}) { outcome approval { id status inputJson } }',
      { ...held, inputJson },
    )
    expect(approval).toMatchObject({ status: 'PENDING', inputJson })
    tried.add('decideApproval')
    const { errors } = await host.query(
      'mutation ($id: ID!) { decideApproval(id: $id, decision: APPROVED) { status } }',
      { id: approval.id },
    )
    expect(errors).toMatchObject([{ extensions: { code: 'AUTHORIZATION_FAILED' } }])
    await host.taskboard.board(host.workspaceId).decide(approval.id, { decision: 'rejected', comment: 'No.' })
    const { data } = await host.query(
      'query ($id: ID!) { approval(id: $id) { status comment decidedBy { kind id name } } approvals(first: 1) { nodes { action } } }',
      { id: approval.id },
    )
    expect(data).toEqual({
      approval: { status: 'REJECTED', comment: 'No.', decidedBy: { kind: 'HOST', id: null, name: null } },
      approvals: { nodes: [{ action: 'refund' }] },
    })
  })

  it('subtasks of a claimed task', async () => {
    const held = await claimOf('Splitting')
    const ids = await write<string[]>(
      'delegateTask(id: $id, input: {fencingToken: $token, wait: true, tasks: [{title: "one"}, {title: "two", follows: [0]}]})',
      held,
    )
    const read = 'query ($id: ID!) { task(id: $id) { parentId dependsOn column attempts } }'
    expect((await host.query(read, { id: ids[1] })).data).toEqual({
      task: { parentId: held.id, dependsOn: [ids[0]], column: 'TODO', attempts: 0 },
    })
    expect((await host.query(read, { id: held.id })).data).toEqual({
      task: { parentId: null, dependsOn: ids, column: 'TODO', attempts: 0 },
    })
  })

  it('usage, and the budgets of agents and workspaces', async () => {
    const held = await claimOf('Spending')
    expect(
      await write(
        'reportTaskUsage(id: $id, input: {fencingToken: $token, model: "small", inputTokens: 10, outputTokens: 5, costUsd: 0.000003}) { costUsd spent total { inputTokens costUsd } }',
        held,
      ),
    ).toEqual({ costUsd: 0.000003, spent: null, total: { inputTokens: 10, costUsd: 0.000003 } })
    const { id: agentId = '' } = (await host.taskboard.agents.list(host.workspaceId))[0] ?? {}
    const workspaceId = host.workspaceId
    const budget = 'budget { tokens costUsd } isSpent'
    expect(
      await write(`setAgentBudget(agentId: $agentId, budget: {tokens: 7}) { agentId ${budget} }`, {
        agentId,
      }),
    ).toEqual({ agentId, budget: { tokens: 7, costUsd: null }, isSpent: false })
    expect(
      await write(
        `setWorkspaceBudget(workspaceId: $workspaceId, budget: {costUsd: 0.000003}) { agentId ${budget} used { tokens costUsd } }`,
        { workspaceId },
      ),
    ).toEqual({
      agentId: null,
      budget: { tokens: null, costUsd: 0.000003 },
      isSpent: true,
      used: { tokens: 15, costUsd: 0.000003 },
    })
    const today = new Date(host.clock.now()).toISOString().slice(0, 10)
    const { data, errors } = await host.query(
      `query ($id: ID!) {
        agent(id: "${agentId}") { budgetSpentUntil restingUntil } budgets { nodes { agentId } } task(id: $id) { usage { outputTokens costUsd } }
        usage(from: "${today}", to: "${today}", groupBy: MODEL) { nodes { key reports inputTokens costUsd } pageInfo { hasNextPage } }
      }`,
      { id: held.id },
    )
    expect(errors).toEqual([])
    expect(data).toEqual({
      agent: { budgetSpentUntil: expect.stringMatching(/-01T00:00:00/) as string, restingUntil: null },
      task: { usage: { outputTokens: 5, costUsd: 0.000003 } },
      usage: {
        nodes: [{ key: 'small', reports: 1, inputTokens: 10, costUsd: 0.000003 }],
        pageInfo: { hasNextPage: false },
      },
      budgets: { nodes: [{ agentId: null }, { agentId }] },
    })
    await write('setWorkspaceBudget(workspaceId: $workspaceId, budget: null) { isSpent }', { workspaceId })
  })

  it('schedules', async () => {
    const made = await write<{ id: string }>(
      'createSchedule(input: {cron: "0 9 * * 1-5", timeZone: "Europe/Berlin", task: {title: "Report"}}) { id cron timeZone overlap enabled task { title } }',
    )
    expect(made).toMatchObject({ overlap: 'SKIP', enabled: true, task: { title: 'Report' } })
    const { id } = made
    expect(
      await write('updateSchedule(id: $id, input: {enabled: false}) { enabled nextAt }', { id }),
    ).toEqual({
      enabled: false,
      nextAt: null,
    })
    const read = 'query ($id: ID!) { schedule(id: $id) { cron } schedules { nodes { id } } }'
    expect((await host.query(read, { id })).data).toEqual({
      schedule: { cron: '0 9 * * 1-5' },
      schedules: { nodes: [{ id }] },
    })
    expect(await write('deleteSchedule(id: $id)', { id })).toBe(id)
    expect((await host.query('query ($id: ID!) { schedule(id: $id) { id } }', { id })).data).toEqual({
      schedule: null,
    })
  })

  it('is all that can be written', () => {
    const all = Object.keys(taskboardSchema().getMutationType()?.getFields() ?? {})
    expect(all.filter((name) => !tried.has(name))).toEqual([])
  })
})

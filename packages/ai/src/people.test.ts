import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentBoard } from '../test/agent-board.js'
import { scriptedModel } from '../test/scripted-model.js'

function refundTool(options: { readonly fails?: boolean } = {}) {
  const refunds: unknown[] = []
  const refund = tool({
    description: 'Refund an order',
    inputSchema: z.object({ order: z.number(), cents: z.number() }),
    needsApproval: true,
    execute: (input) => {
      refunds.push(input)
      if (options.fails === true) throw new Error('the bank is closed')
      return { receipt: `R-${refunds.length}` }
    },
  })
  return { refunds, refund }
}

/** The entries of a part of the first message. */
function sectionOf(prompt: string | undefined, about: string): unknown[] {
  const [, { content }] = JSON.parse(prompt ?? '') as [unknown, { content: [{ text: string }] }]
  const [, section = ''] = content[0].text.split(`about="${about}">\n`)
  const [lines = ''] = section.split('\n</data-')
  return lines.split('\n').map((line) => JSON.parse(line) as unknown)
}

const SEVEN = { order: 7, cents: 1_900 }

describe('a question', () => {
  it('ends the attempt, and the next one goes on with the answer', async () => {
    const { model, prompts } = scriptedModel([
      [['ask_person', { question: 'Which colour?' }]],
      'Painted in green.',
    ])
    const { work, board, nextEnd } = await agentBoard({ model: () => model })
    const asked = await work({ title: 'Paint the door' })
    expect(asked.hold).toMatchObject({ reason: 'needs_input', message: 'Which colour?' })
    const done = nextEnd()
    await board.answer(asked.id, { body: 'green' }, { actor: { kind: 'host', id: null, name: 'Grace' } })
    await done
    expect(await board.get(asked.id)).toMatchObject({
      column: 'DONE',
      result: 'Painted in green.',
      attempts: 1,
    })
    const [first, second] = prompts().map((prompt) => prompt.replaceAll('\\', ''))
    expect(first).not.toContain('Which colour?')
    expect(second).toMatch(/"what":"the question by an agent \(.+\)",.*"body":"Which colour\?"/)
    expect(second).toMatch(/"what":"the answer by the host \(Grace\)",.*"body":"green"/)
  })

  it.each([
    [{ kind: 'user', id: 'ada', name: 'Ada' }, 'the answer of Ada'],
    [{ kind: 'api_key', id: 'ak_1', name: 'ci' }, 'the answer by a key (ci)'],
  ] as const)('reaches the model with who answered it: %o', async (actor, by) => {
    const { model, prompts } = scriptedModel([[['ask_person', { question: 'Which?' }]], 'Painted.'])
    const { work, board, nextEnd } = await agentBoard({ model: () => model })
    const { id } = await work({ title: 'Paint the door' })
    const done = nextEnd()
    await board.answer(id, { body: 'green' }, { actor })
    await done
    expect(sectionOf(prompts()[1], 'your last question and its answer').at(-1)).toMatchObject({
      what: by,
      body: 'green',
    })
  })

  it('is found with its answer at the top of the longest thread', async () => {
    const { model, prompts } = scriptedModel([[['ask_person', { question: 'Which colour?' }]], 'Painted.'])
    const host = await agentBoard({ model: () => model, promptCharacters: 4_000 })
    const { work, board, nextEnd, taskboard, workspaceId, agent } = host
    const { id } = await work({ title: 'Paint the door', description: 'd'.repeat(9_000) })
    await taskboard.agents.update(workspaceId, agent.id, { paused: true })
    const ended = nextEnd()
    await board.answer(id, { body: 'green' })
    for (let n = 0; n < 20; n++) await board.comment(id, { body: `${n} ${'c'.repeat(900)}` })
    await taskboard.agents.update(workspaceId, agent.id, { paused: false })
    await ended
    const second = (prompts()[1] ?? '').replaceAll('\\', '')
    expect(second).toMatch(
      /your last question and its answer.*"body":"Which colour\?".*"body":"green".*about="thread"/,
    )
    expect(second).toMatch(/\(\d+ older ones are left out\)/)
    expect(second).toMatch(/\[… \d+ characters left out\]/)
  })

  it('comes after the other calls of the same answer', async () => {
    const order: string[] = []
    const look = tool({ inputSchema: z.object({}), execute: () => void order.push('looked') })
    const { model } = scriptedModel([
      [
        ['ask_person', { question: 'Which?' }],
        ['look', {}],
      ],
    ])
    const { work } = await agentBoard({ model: () => model, tools: { look } }, { tools: ['look'] })
    expect((await work({ title: 'x' })).hold?.reason).toBe('needs_input')
    expect(order).toEqual(['looked'])
  })
})

describe('a tool that needs approval', () => {
  it('is called once, with the input that was approved, whatever the model says afterwards', async () => {
    const { refunds, refund } = refundTool()
    const { model, prompts } = scriptedModel([[['refund', SEVEN]], 'Refunded.'])
    const host = await agentBoard({ model: () => model, tools: { refund } }, { tools: ['refund'] })
    const { work, board, nextEnd, approvals } = host
    const { id, hold } = await work({ title: 'Answer the complaint about order 7' })
    expect(hold?.reason).toBe('approval')
    expect(refunds).toEqual([])
    const [pending] = await approvals()
    expect(pending).toMatchObject({ action: 'tool:refund', input: SEVEN, status: 'pending' })
    const done = nextEnd()
    await board.decide(pending?.id ?? '', { decision: 'approved' })
    await done
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'Refunded.' })
    expect(refunds).toEqual([SEVEN])
    expect(sectionOf(prompts()[1], 'calls that were approved and done now')).toEqual([
      { tool: 'refund', input: SEVEN, result: '{"receipt":"R-1"}' },
    ])
    expect(sectionOf(prompts()[1], 'approvals')).toEqual([
      {
        action: 'tool:refund',
        status: 'approved, and done now',
        comment: null,
        input: JSON.stringify(SEVEN),
      },
    ])
    expect(prompts()[1]).not.toContain('not used yet')
    expect((await board.comments(id)).comments.at(-1)?.body).toContain('Called refund, as approved (apr_')
    expect((await approvals()).map(({ status }) => status)).toEqual(['used'])
  })

  it('asks again for another input, and for the same one once more', async () => {
    const { refunds, refund } = refundTool()
    const more = { order: 7, cents: 190_000 }
    const { model } = scriptedModel([
      [['refund', SEVEN]],
      [['refund', more]],
      [['refund', SEVEN]],
      'Refunded.',
    ])
    const host = await agentBoard({ model: () => model, tools: { refund } }, { tools: ['refund'] })
    const { work, board, nextEnd, approvals } = host
    const { id } = await work({ title: 'Answer the complaint about order 7' })
    for (const decision of ['approved', 'rejected', 'approved'] as const) {
      const pending = (await approvals()).find(({ status }) => status === 'pending')
      const ended = nextEnd()
      await board.decide(pending?.id ?? '', { decision, comment: `said ${decision}` })
      await ended
    }
    expect((await board.get(id)).column).toBe('DONE')
    expect(refunds).toEqual([SEVEN, SEVEN])
    expect((await approvals()).map(({ status }) => status)).toEqual(['used', 'rejected', 'used'])
  })

  it('is not called when it was rejected, and the model learns why', async () => {
    const { refunds, refund } = refundTool()
    const { model, prompts } = scriptedModel([[['refund', SEVEN]], [['refund', SEVEN]], 'Not refunded.'])
    const host = await agentBoard({ model: () => model, tools: { refund } }, { tools: ['refund'] })
    const { id } = await host.work({ title: 'Refund' })
    const ended = host.nextEnd()
    await host.board.decide((await host.approvals())[0]?.id ?? '', {
      decision: 'rejected',
      comment: 'too much',
    })
    await ended
    expect(await host.board.get(id)).toMatchObject({ result: 'Not refunded.' })
    expect(refunds).toEqual([])
    expect((prompts()[2] ?? '').replaceAll('\\', '')).toContain(
      'This call was rejected (the decision by the host): "too much". Do not run it again.',
    )
  })

  it('reports its error to the model, and keeps a note that the approval was used', async () => {
    const { refunds, refund } = refundTool({ fails: true })
    const { model, prompts } = scriptedModel([[['refund', SEVEN]], 'The bank is closed.'])
    const host = await agentBoard({ model: () => model, tools: { refund } }, { tools: ['refund'] })
    const { id } = await host.work({ title: 'Refund' })
    const ended = host.nextEnd()
    await host.board.decide((await host.approvals())[0]?.id ?? '', { decision: 'approved' })
    await ended
    expect(refunds).toHaveLength(1)
    expect(prompts()[1]).toContain('error: the bank is closed')
    expect((await host.board.comments(id)).comments.at(-1)?.body).toContain('the bank is closed')
  })

  it('can decide by the input', async () => {
    const { refund, refunds } = refundTool()
    const bySize = tool({ ...refund, needsApproval: ({ cents }) => cents > 1_000 })
    const { model } = scriptedModel([[['refund', { order: 1, cents: 5 }]], [['refund', SEVEN]]])
    const { work } = await agentBoard(
      { model: () => model, tools: { refund: bySize } },
      { tools: ['refund'] },
    )
    expect((await work({ title: 'Refund' })).hold?.reason).toBe('approval')
    expect(refunds).toEqual([{ order: 1, cents: 5 }])
  })

  it('is not approved by request_approval', async () => {
    const { refund, refunds } = refundTool()
    const { model, prompts } = scriptedModel([
      [['request_approval', { action: ' TOOL:refund', summary: 'Harmless', input: SEVEN }]],
      'I gave up.',
    ])
    const { work, approvals } = await agentBoard(
      { model: () => model, tools: { refund } },
      { tools: ['refund'] },
    )
    expect((await work({ title: 'Refund' })).result).toBe('I gave up.')
    expect(prompts()[1]).toContain('must not begin with tool:')
    expect(await approvals()).toEqual([])
    expect(refunds).toEqual([])
  })
})

describe('the other tools of the board', () => {
  it('ask for approval of anything, once', async () => {
    const asked = { action: 'call the customer', summary: 'Call Grace', input: { phone: '1' } }
    const { model, prompts } = scriptedModel([
      [['request_approval', asked]],
      [['request_approval', asked]],
      'Called.',
    ])
    const { work, board, approvals, nextEnd } = await agentBoard({ model: () => model })
    const { id } = await work({ title: 'Call' })
    const ended = nextEnd()
    await board.decide((await approvals())[0]?.id ?? '', { decision: 'approved', comment: 'before noon' })
    await ended
    expect((await board.get(id)).result).toBe('Called.')
    expect(prompts()[1]).toContain('approved, and not used yet')
    expect(prompts()[2]).toContain('before noon')
  })

  it('split the task, and wait for the results', async () => {
    const { model, prompts } = scriptedModel((prompt) => {
      if (!prompt.includes('Write of water')) {
        return prompt.includes('about lakes') ? 'a text on lakes' : 'a text on rivers'
      }
      return prompt.includes('a text on lakes')
        ? 'rivers and lakes'
        : [
            [
              'delegate',
              { wait: true, tasks: [{ title: 'about rivers' }, { title: 'about lakes', depends_on: [0] }] },
            ],
          ]
    })
    const { work, nextEnd, board } = await agentBoard({ model: () => model })
    const { id } = await work({ title: 'Write of water' })
    while ((await board.get(id)).column !== 'DONE') await nextEnd()
    expect((await board.get(id)).result).toBe('rivers and lakes')
    expect(prompts()).toHaveLength(4)
  })

  it('add outputs and lines of the log, and report what the board refuses', async () => {
    const { model, prompts } = scriptedModel([
      [
        ['log', { message: 'half done' }],
        ['add_output', { type: 'link', name: 'draft', url: 'https://files.example/1' }],
        ['add_output', { type: 'link', name: 'bad', url: 'javascript:alert(1)' }],
      ],
      'Done.',
    ])
    const { work, board } = await agentBoard({ model: () => model })
    const { id, column } = await work({ title: 'x' })
    expect(column).toBe('DONE')
    expect((await board.outputs(id)).map(({ name }) => name)).toEqual(['draft'])
    expect((await board.logs(id)).map(({ message }) => message)).toContain('half done')
    expect(prompts()[1]).toContain('error-text')
  })
})

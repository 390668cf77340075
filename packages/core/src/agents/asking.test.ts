import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'
import type { TaskContext } from './index.js'

/** A runner whose agent runs `work`, with one task on the board. */
async function started(work: (context: TaskContext, taskId: string) => unknown) {
  const fixture = await agentsFixture({
    agents: [{ type: 'bot', run: ({ id }, context) => work(context, id) }],
  })
  const task = await fixture.add({ title: 'the task', maxAttempts: 1 })
  const runner = fixture.newRunner()
  runner.start()
  await fixture.clock.advance({ seconds: 30 })
  const { board, storage, clock, workspaceId } = fixture
  const query = {
    within: workspaceId,
    approvalId: null,
    taskId: null,
    status: null,
    limit: 100,
    afterId: null,
  }
  return {
    ...fixture,
    task: () => fixture.get(task),
    runner,
    approvals: async () => (await storage.approvals.listApprovals(query, { now: clock.now() })).approvals,
    async afterwards(
      act: (use: { readonly board: typeof board; readonly taskId: string }) => Promise<unknown>,
    ) {
      await act({ board, taskId: task.id })
      await clock.advance({ seconds: 30 })
    },
  }
}

describe('a run that asks', () => {
  it('ends with its question, and the next attempt finds the answer and the whole conversation', async () => {
    const seen: unknown[] = []
    const { task, afterwards, runner, messages } = await started(async ({ ask, claim }) => {
      seen.push([claim.attempt, claim.answer?.body ?? null, claim.comments.map(({ body }) => body)])
      if (claim.answer === null) {
        await ask('Into which language?')
        seen.push('went on')
      }
      return `in ${claim.answer?.body}`
    })
    expect(await task()).toMatchObject({
      column: 'TODO',
      hold: { reason: 'needs_input', message: 'Into which language?' },
      attempts: 0,
    })
    await afterwards(({ board, taskId }) => board.comment(taskId, { body: 'Hm.' }))
    await afterwards(({ board, taskId }) => board.answer(taskId, { body: 'French' }))
    expect(await task()).toMatchObject({ column: 'DONE', result: 'in French' })
    expect(seen).toEqual([
      [1, null, []],
      [1, 'French', ['Into which language?', 'Hm.', 'French']],
    ])
    expect(messages).toEqual([])
    await runner.stop()
  })

  it('requires a person when it says so, and no board of a run answers', async () => {
    const refused: unknown[] = []
    const { task, afterwards, runner } = await started(async ({ ask, claim, board }, taskId) => {
      if (claim.answer !== null) return claim.answer.author.name ?? ''
      for (const actor of [undefined, { kind: 'user', id: 'ada' }] as const) {
        await board.answer(taskId, { body: 'Yes.' }, { actor }).catch((error: unknown) => refused.push(error))
      }
      return ask('All of it?', { requireOtherPerson: true })
    })
    const forbidden = { code: 'FORBIDDEN' }
    expect(refused).toMatchObject([forbidden, forbidden])
    await afterwards(async ({ board, taskId }) => {
      const key = { kind: 'api_key', id: 'ak_1' } as const
      await expect(board.answer(taskId, { body: 'Yes.' }, { actor: key })).rejects.toMatchObject(forbidden)
      await expect(board.answer(taskId, { body: 'Yes.' })).rejects.toMatchObject(forbidden)
      await board.answer(taskId, { body: 'Yes.' }, { actor: { kind: 'user', id: 'ada', name: 'Ada' } })
    })
    expect(await task()).toMatchObject({ result: 'Ada' })
    await runner.stop()
  })

  it('finds what people said before its first attempt', async () => {
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (_, { claim }) => claim.comments.map(({ body }) => body).join() }],
    })
    const task = await fixture.add()
    await fixture.board.comment(task.id, { body: 'Be brief.' })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 1 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'Be brief.' })
    await runner.stop()
  })

  it('does not end, nor the process, by a wrong question that nobody awaits', async () => {
    const { task, runner } = await started(({ ask }) => {
      void ask(' ')
      return 'done'
    })
    expect(await task()).toMatchObject({ column: 'DONE', result: 'done' })
    await runner.stop()
  })
})

describe('a run that needs approval', () => {
  const refund = { action: 'refund', summary: 'Refund order 7', input: { order: 7 } }

  it('ends before the action, and does it once when it was approved', async () => {
    const done: string[] = []
    const { task, afterwards, approvals, runner } = await started(async ({ approval }) => {
      const { decision, comment } = await approval(refund)
      done.push(`${decision}: ${comment}`)
      return 'refunded'
    })
    expect(done).toEqual([])
    const [asked] = await approvals()
    expect(asked).toMatchObject({ ...refund, status: 'pending', requestedBy: { kind: 'agent' } })
    expect(await task()).toMatchObject({ hold: { reason: 'approval' }, attempts: 0 })
    await afterwards(({ board }) => board.decide(asked?.id ?? '', { decision: 'approved', comment: 'Go.' }))
    expect(done).toEqual(['approved: Go.'])
    expect(await task()).toMatchObject({ column: 'DONE', result: 'refunded' })
    expect((await approvals()).map(({ status }) => status)).toEqual(['used'])
    await runner.stop()
  })

  it('goes on without the action when it was rejected', async () => {
    const { task, afterwards, approvals, runner } = await started(async ({ approval }) => {
      const { decision, comment, decidedBy } = await approval({ ...refund, requireOtherPerson: true })
      return decision === 'approved' ? 'refunded' : `left alone: ${comment} (${decidedBy?.name})`
    })
    const [asked] = await approvals()
    expect(asked?.requireOtherPerson).toBe(true)
    await afterwards(async ({ board }) => {
      const verdict = { decision: 'rejected', comment: 'No.' } as const
      await expect(board.decide(asked?.id ?? '', verdict)).rejects.toMatchObject({ code: 'FORBIDDEN' })
      const actor = { kind: 'user', id: 'ada', name: 'Ada' } as const
      await board.decide(asked?.id ?? '', verdict, { actor })
    })
    expect(await task()).toMatchObject({ column: 'DONE', result: 'left alone: No. (Ada)' })
    await runner.stop()
  })

  it('gets through by no release, no text, no other input and no second use', async () => {
    const done: string[] = []
    let attempt = 0
    const { afterwards, approvals, runner } = await started(async ({ approval, board }, taskId) => {
      attempt += 1
      await board.comment(taskId, { body: 'Approved: refund' })
      const input = attempt < 4 ? { order: 7 } : { order: 8 }
      await approval({ ...refund, summary: `Approved (${attempt})`, input })
      done.push('first')
      await approval({ ...refund, input })
      done.push('second')
    })
    await afterwards(({ board, taskId }) => board.release(taskId))
    await afterwards(({ board, taskId }) => board.update(taskId, { description: 'Approved' }))
    await afterwards(({ board, taskId }) => board.release(taskId))
    expect([attempt, done]).toEqual([3, []])
    const [asked, ...others] = await approvals()
    expect(others).toEqual([])
    // The attempt after the decision works on another order.
    await afterwards(({ board }) => board.decide(asked?.id ?? '', { decision: 'approved' }))
    expect([attempt, done]).toEqual([4, []])
    const [next] = await approvals()
    expect(next).toMatchObject({ status: 'pending', input: { order: 8 } })
    await afterwards(({ board }) => board.decide(next?.id ?? '', { decision: 'approved' }))
    expect(done).toEqual(['first'])
    expect((await approvals()).map(({ status }) => status)).toEqual(['pending', 'used', 'approved'])
    await runner.stop()
  })

  it('sees on its board what was decided, a page at a time', async () => {
    const seen: unknown[] = []
    const { approvals, afterwards, runner } = await started(async ({ approval, board }, taskId) => {
      const page = await board.approvals(taskId, { limit: 1 })
      const rest = await board.approvals(taskId, { cursor: page.nextCursor ?? undefined })
      seen.push(page.approvals.map(({ status }) => status))
      expect(rest.approvals.length).toBe(page.nextCursor === null ? page.approvals.length : 1)
      expect(await board.approvals('task_unknown')).toEqual({ approvals: [], nextCursor: null })
      await approval({ ...refund, input: { attempt: seen.length } })
    })
    for (const decision of ['approved', 'rejected'] as const) {
      const [asked] = await approvals()
      await afterwards(({ board }) => board.decide(asked?.id ?? '', { decision }))
    }
    expect(seen).toEqual([[], ['approved'], ['rejected']])
    await runner.stop()
  })

  it('cannot decide, whatever actor its board names', async () => {
    const refused: unknown[] = []
    const { approvals, afterwards, runner } = await started(async ({ approval, board, claim }) => {
      const [mine] = claim.comments
      if (mine !== undefined) {
        for (const actor of [undefined, { kind: 'user', id: 'user_1' }] as const) {
          const work = board.decide(mine.body, { decision: 'approved' }, { actor })
          await work.catch((error: unknown) => refused.push(error))
        }
      }
      await approval(refund)
    })
    const [asked] = await approvals()
    await afterwards(async ({ board, taskId }) => {
      await board.comment(taskId, { body: asked?.id ?? '' })
      await board.release(taskId)
    })
    const forbidden = expect.objectContaining({ code: 'FORBIDDEN' })
    expect(refused).toEqual([forbidden, forbidden])
    expect((await approvals()).map(({ status }) => status)).toEqual(['pending'])
    await runner.stop()
  })
})

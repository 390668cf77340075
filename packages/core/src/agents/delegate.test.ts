import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'
import type { TaskContext } from './index.js'

/** An agent that works subtasks as `part`, and the others as `whole`. */
function splitting(whole: (context: TaskContext) => unknown, part: () => unknown = () => 'a part') {
  return agentsFixture({
    agents: [{ type: 'bot', run: (task, context) => (task.parentId === null ? whole(context) : part()) }],
  })
}

describe('a run that delegates', () => {
  it('ends when it waits, and the next one has the results and uses the only attempt', async () => {
    const fixture = await splitting(async ({ claim, delegate, log }) => {
      if (claim.dependencies.length > 0) return claim.dependencies.map(({ result }) => result)
      await delegate([{ title: 'one' }, { title: 'two', dependsOn: [0] }], { wait: true })
      await log('never written')
      return 'never kept'
    })
    const task = await fixture.add({ maxAttempts: 1 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 30 })
    await runner.stop()
    expect(await fixture.get(task)).toMatchObject({
      column: 'DONE',
      result: '["a part","a part"]',
      attempts: 1,
    })
    const created = await fixture.eventsOf('task.created')
    expect(created.slice(1).map(({ data }) => 'actor' in data && data.actor)).toEqual([
      { kind: 'agent', id: expect.any(String) as string },
      { kind: 'agent', id: expect.any(String) as string },
    ])
    const { attempts } = await fixture.background(task)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['returned', 'completed'])
  })

  it('runs once more when its parts are done, also when one of them failed and was released', async () => {
    const titles = ['text', 'picture', 'layout']
    const seen: unknown[] = []
    let failures = 1
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run({ title, parentId }, { claim, delegate }) {
            if (parentId !== null) {
              if (title === 'picture' && failures-- > 0) throw new Error('no paint')
              return `the ${title}`
            }
            seen.push(claim.dependencies.map(({ result }) => result))
            if (claim.dependencies.length > 0) return 'the newsletter'
            return delegate(
              titles.map((part) => ({ title: part, maxAttempts: 1 })),
              { wait: true },
            )
          },
        },
      ],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 30 })
    expect(seen).toEqual([[]])
    const { dependsOn, openDependencies } = await fixture.get(task)
    expect([dependsOn.length, openDependencies]).toEqual([3, 1])
    const parts = await Promise.all(dependsOn.map((id) => fixture.get({ ...task, id })))
    expect(parts.map(({ hold }) => hold?.reason ?? null)).toEqual([null, 'failed', null])

    await fixture.board.release(dependsOn[1] ?? '')
    await fixture.clock.advance({ seconds: 30 })
    await runner.stop()
    expect(seen).toEqual([[], ['the text', 'the picture', 'the layout']])
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'the newsletter', attempts: 1 })
    const { attempts } = await fixture.background(task)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['returned', 'completed'])
  })

  it('goes on when it does not wait, and when its subtasks are refused', async () => {
    const fixture = await splitting(async ({ delegate }) => {
      const [made] = await delegate([{ title: 'one' }])
      const many = Array.from({ length: 50 }, () => ({ title: 'too many' }))
      await expect(delegate(many)).rejects.toMatchObject({ code: 'CONFLICT', field: 'parentId' })
      await expect(delegate([{ title: ' ' }])).rejects.toMatchObject({ code: 'INVALID_FIELD' })
      return made?.title
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 30 })
    await runner.stop()
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'one', dependsOn: [] })
    expect(await fixture.eventTypes()).toEqual(expect.not.arrayContaining(['task.failed']))
  })
})

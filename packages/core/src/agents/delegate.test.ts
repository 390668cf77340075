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
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['handed_back', 'completed'])
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

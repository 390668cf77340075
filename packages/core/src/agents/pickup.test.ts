import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import { pickupWaits } from './pickup.js'

const types = fc.constantFrom('writing', 'law')
const agent = fc.record({
  type: types,
  paused: fc.boolean(),
  isSpent: fc.boolean(),
  isResting: fc.boolean(),
})
const task = fc.record({
  type: fc.option(types),
  assignedTo: fc.option(fc.nat({ max: 2 })),
  isHeld: fc.boolean(),
  isLater: fc.boolean(),
  isDependent: fc.boolean(),
})
const rarely = fc.integer({ min: 0, max: 4 }).map((chosen) => chosen === 0)

it('says nothing exactly when one of the agents can take the task', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(agent, { maxLength: 3 }),
      task,
      rarely,
      async (profiles, wanted, isAllSpent) => {
        const clock = virtualClock()
        const storage = memoryStorage()
        const taskboard = createTaskboard({ storage, clock })
        const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
        const board = taskboard.board(workspace.id)
        const spend = async (agentId: string | null) => {
          await taskboard.usage.setBudget({ workspaceId: workspace.id, agentId }, { tokens: 1 })
        }
        const done = await board.add({ title: 'used' })
        const ids: string[] = []
        for (const { type, isSpent } of profiles) {
          const { id } = await taskboard.agents.create(workspace.id, { name: `agent ${ids.length}`, type })
          ids.push(id)
          if (!isSpent && !isAllSpent) continue
          const claimed = await board.claim({ agentId: id })
          const fencingToken = claimed?.lease?.fencingToken ?? -1
          await board.usage(done.id, { fencingToken, model: 'm', inputTokens: 2, outputTokens: 0 })
          await board.move(done.id, 'TODO')
          if (isSpent) await spend(id)
        }
        if (isAllSpent) await spend(null)
        for (const [index, { paused, isResting }] of profiles.entries()) {
          const agentId = ids[index] ?? ''
          await taskboard.agents.update(workspace.id, agentId, { paused })
          const report = { workspaceId: workspace.id, agentId, restMs: 60_000 }
          if (isResting) await storage.agents.reportPresence(report, { now: clock.now() })
        }
        await board.move(done.id, 'DONE')
        const open = await board.add({ title: 'open', notBefore: clock.now() + 3_600_000 })
        const { id } = await board.add({
          title: 'wanted',
          type: wanted.type,
          assignedTo: wanted.assignedTo === null ? null : (ids[wanted.assignedTo] ?? null),
          notBefore: wanted.isLater ? clock.now() + 60_000 : null,
          dependsOn: wanted.isDependent ? [open.id] : [],
        })
        if (wanted.isHeld) await board.hold(id, { reason: 'needs_input' })

        const { budgets } = await taskboard.usage.budgets(workspace.id)
        const agents = (await taskboard.agents.list(workspace.id)).map((one) => ({
          ...one,
          status: 'available' as const,
        }))
        const waits = pickupWaits(await board.get(id), { agents, budgets }, clock.now())
        const taken: (string | undefined)[] = []
        for (const agentId of ids) taken.push((await board.claim({ agentId }))?.id)
        expect([waits, taken.includes(id)]).toEqual([waits, waits.length === 0])
        await taskboard.close()
      },
    ),
    { numRuns: 200 },
  )
})

it('names the agents that rest, and when the first of them takes tasks again, unless an agent lacks more', () => {
  const waiting = {
    column: 'TODO',
    hold: null,
    notBefore: null,
    openDependencies: 0,
    assignedTo: null,
    type: null,
  } as const
  const resting = (id: string, until: number, status: 'available' | 'offline' = 'available') => {
    return { id, name: id, type: 'law', paused: false, status, restingUntil: until }
  }
  const agents = [resting('later', 300), resting('sooner', 200), resting('away', 100, 'offline')]
  const waits = pickupWaits(waiting, { agents, budgets: [] }, 0)
  expect(waits.map(({ reason, until, agents: named }) => [reason, until, named.map(({ id }) => id)])).toEqual(
    [
      ['resting', 200, ['later', 'sooner']],
      ['offline', null, ['away']],
    ],
  )
})

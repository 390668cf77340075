import { agentFields } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../index.js'

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const LEASE_MS = 60_000

async function setUp() {
  const storage = memoryStorage()
  const account = {
    name: 'a',
    tier: 'custom',
    workspaceName: 'w',
    agent: { name: 'one', type: 'bot' },
  } as const
  const { workspace } = await storage.access.insertAccount(account, { now: START })
  const workspaceId = workspace.id
  return {
    storage,
    workspaceId,
    add: (title: string, notBefore: number | null = null, now = START) => {
      const task = newTask({ workspaceId, title, notBefore })
      return storage.tasks.insertTask({ task, actor: { kind: 'host', id: null }, idempotency: null }, { now })
    },
    claim: (limit: number, now: number) =>
      storage.tasks.claimTasks({ target: { agentType: 'bot', leaseMs: LEASE_MS }, limit }, { now }),
  }
}

describe('a claim by type', () => {
  it('gives unassigned work to the agent that has the least', async () => {
    const { storage, workspaceId, add, claim } = await setUp()
    const at = { now: START }
    for (const name of ['two', 'three'])
      await storage.agents.insertAgent(
        { agent: { ...agentFields.empty, workspaceId, name, type: 'bot' }, idempotency: null },
        at,
      )
    for (let count = 0; count < 6; count++) await add(`task ${count}`)
    const agents = await storage.agents.listAgents({ reach: null, workspaceId }, at)
    const shares = async (limit: number) => {
      const { tasks } = await claim(limit, START)
      return tasks.map(({ lease }) => agents.findIndex(({ id }) => id === lease?.agentId))
    }
    expect(await shares(4)).toEqual([0, 1, 2, 0])
    expect(await shares(2)).toEqual([1, 2])
  })

  it('skips a planned task that was ready until the clock stepped back', async () => {
    const { add, claim } = await setUp()
    await add('planned', START + HOUR_MS)
    // In this claim the planned task becomes ready and is not taken: `first` is older.
    await add('first', null, START - HOUR_MS)
    expect((await claim(1, START + HOUR_MS)).tasks.map(({ title }) => title)).toEqual(['first'])
    expect(await claim(1, START)).toEqual({ tasks: [], nextReadyInMs: HOUR_MS })
    await add('second')
    expect((await claim(2, START)).tasks.map(({ title }) => title)).toEqual(['second'])
    expect((await claim(1, START + HOUR_MS)).tasks.map(({ title }) => title)).toEqual(['planned'])
  })
})

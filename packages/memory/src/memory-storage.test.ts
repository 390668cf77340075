import { storageConformance } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from './index.js'

describe('memoryStorage keeps the promises of every port', () => {
  const open = () =>
    Promise.resolve({
      storage: memoryStorage(),
      writesWait: true,
      // Nobody else can use what is in its memory.
      openAnother: null,
      close: () => Promise.resolve(),
    })
  for (const { id, name, run } of storageConformance(open)) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})

describe('an id that is missing in untyped code', () => {
  it('is as unknown as any other', async () => {
    const storage = memoryStorage()
    const missing = undefined as unknown as string
    const at = { now: 0 }
    await expect(
      storage.tasks
        .getTask({ within: missing, taskId: 'task_x', parts: ['task'] }, at)
        .then(({ task }) => task),
    ).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    })
    expect(await storage.agents.listAgents({ reach: null, agentIds: ['agent_x'] }, at)).toEqual([])
    expect(await storage.webhooks.listWebhooks({ within: missing, webhookId: 'wh_x' }, at)).toEqual([])
  })
})

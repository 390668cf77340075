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
    await expect(storage.agents.getAgent({ reach: null, agentId: 'agent_x' }, at)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(
      storage.webhooks.getWebhook({ within: missing, webhookId: 'wh_x' }, at),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

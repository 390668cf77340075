import assert from 'node:assert/strict'
import { mostAttempts, type Reach, type TaskPart } from '@taskboard/core/storage'
import type { StorageCheck } from './storage-case.js'
import { changeClaimed, proofOf, readTask, START } from './storage-fixture.js'

const DATA = ['task', 'agent', 'logs', 'outputs', 'attempts', 'postponedSince', 'dependencies'] as const
const PARTS = [...DATA, 'comments', 'question', 'answer'] as const

/** What is read of one task. */
export const taskPartCases: readonly StorageCheck[] = [
  {
    id: 'find.parts',
    name: 'a task is read with the parts that are asked for and no others, in its workspace and within reach',
    async check({ storage: { tasks }, accountId, workspaceId, addClaimed, at }) {
      const first = await addClaimed({ title: 'first' })
      await tasks.completeTask({ proof: proofOf(first), result: 'done', next: null }, at())
      const task = await addClaimed({ dependsOn: [first.id] })
      const line = (message: string) => ({ level: 'info', message }) as const
      for (const message of ['one', 'two']) {
        await tasks.appendToTask({ proof: proofOf(task), log: line(message), leaseMs: null }, at())
      }
      const reach: Reach = { accountId, workspaceIds: [workspaceId] }
      for (const within of [workspaceId, reach]) {
        const read = (parts: readonly TaskPart[]) =>
          tasks.getTask({ within, taskId: task.id, parts, logLines: 1 }, at())
        const all = await read(PARTS)
        assert.deepEqual(
          [all.workspaceId, all.task.id, all.logs, all.attempts, all.dependencies],
          [
            workspaceId,
            task.id,
            [{ at: START, ...line('two') }],
            [],
            [{ id: first.id, title: 'first', result: 'done' }],
          ],
        )
        for (const part of PARTS) {
          assert.deepEqual(await read([part]), { workspaceId, [part]: all[part] })
        }
        const { logs } = await tasks.getTask({ within, taskId: task.id, parts: ['logs'] }, at())
        assert.equal(logs.length, 2)
      }
    },
  },
  {
    id: 'find.newest-attempts',
    name: 'of attempts without number, as of an agent that gives a task back again and again, the newest are read',
    async check({ storage, add, claim, at }) {
      const task = await add()
      for (let count = 0; count < mostAttempts + 2; count++) {
        const claimed = await claim(at())
        assert.ok(claimed !== null)
        const giveBack = { kind: 'return_claim', reason: 'not now' } as const
        await changeClaimed(storage.tasks, proofOf(claimed), giveBack, at())
      }
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      const tokens = Array.from({ length: mostAttempts }, (_, index) => index + 3)
      assert.deepEqual(
        attempts.map(({ fencingToken }) => fencingToken),
        tokens,
      )
    },
  },
]

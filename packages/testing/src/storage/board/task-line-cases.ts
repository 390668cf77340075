import assert from 'node:assert/strict'
import type { StorageCheck } from '../storage-case.js'
import { proofOf, START } from '../storage-fixture.js'

/** Lines of tasks' logs for those who watch a run. */
export const taskLineCases: readonly StorageCheck[] = [
  {
    id: 'events.task-log',
    name: 'a listener receives lines of logs after their commit, and none that is refused or rolled back',
    async check({ storage, addClaimed, workspaceId, at }) {
      const task = await addClaimed()
      const lines: unknown[] = []
      const stopThrowing = storage.events.onTaskLog(() => {
        throw new Error('a listener’s fault')
      })
      const stop = storage.events.onTaskLog((line) => void lines.push(line))
      const proof = proofOf(task)
      const log = (message: string, fencingToken = proof.fencingToken, tx?: unknown) =>
        storage.tasks.appendToTask(
          { proof: { ...proof, fencingToken }, log: { level: 'warn', message }, leaseMs: null },
          at(5, tx),
        )
      await log('one')
      await assert.rejects(log('stale', proof.fencingToken + 1))
      const fault = new Error('rolled back')
      await assert.rejects(
        storage.transaction(async (tx) => {
          await log('undone', undefined, tx)
          throw fault
        }),
        fault,
      )
      await log('two')
      stop()
      stopThrowing()
      await log('three')
      assert.deepEqual(
        lines,
        ['one', 'two'].map((message) => ({
          workspaceId,
          taskId: task.id,
          at: START + 5,
          level: 'warn',
          message,
        })),
      )
    },
  },
]

import type { Reach } from '@taskboard/core'
import assert from 'node:assert/strict'
import { mostAttempts, type TaskPart } from '@taskboard/core/storage'
import type { StorageCheck } from '../storage-case.js'
import { changeClaimed, LOG_LIMIT, proofOf, readTask, START } from '../storage-fixture.js'

const DATA = [
  'task',
  'agent',
  'logs',
  'logPage',
  'outputs',
  'attempts',
  'postponedSince',
  'dependencies',
] as const
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
    id: 'find.log-pages',
    name: 'a log is read in pages, oldest line first, and no line is missed or repeated while older ones are deleted',
    async check({ storage: { tasks }, accountId, workspaceId, addClaimed, at }) {
      const [task, other] = [await addClaimed(), await addClaimed()]
      let count = 0
      const append = async (lines: number) => {
        for (let line = 0; line < lines; line++) {
          const log = { level: 'info', message: String((count += 1)) } as const
          await tasks.appendToTask({ proof: proofOf(task), log, leaseMs: null }, at())
          // The lines of another task are no part of the log, wherever they are stored.
          await tasks.appendToTask({ proof: proofOf(other), log, leaseMs: null }, at())
        }
      }
      const reach: Reach = { accountId, workspaceIds: [workspaceId] }
      const read = async (within: string | Reach, logLines?: number, logAfter?: number) => {
        const query = { within, taskId: task.id, parts: ['logPage'], logLines, logAfter } as const
        const { lines, nextAfter } = (await tasks.getTask(query, at())).logPage
        return { messages: lines.map(({ message }) => message).join(), nextAfter }
      }
      for (const within of [workspaceId, reach]) {
        assert.deepEqual(await read(within, 2), { messages: '', nextAfter: null })
      }
      await append(LOG_LIMIT)
      const first = await read(reach, 2)
      assert.equal(first.messages, '1,2')
      assert.deepEqual(await read(workspaceId, 2), first)
      const after = first.nextAfter ?? undefined
      // Both at the same time, which a storage may read together.
      const [again, rest] = await Promise.all([read(reach, 3), read(reach, 3, after)])
      assert.equal(again.messages, '1,2,3')
      assert.deepEqual(rest, { messages: '3,4,5', nextAfter: null })
      assert.deepEqual(await read(workspaceId), { messages: '1,2,3,4,5', nextAfter: null })
      await append(1)
      const second = await read(workspaceId, 2, after)
      assert.equal(second.messages, '3,4')
      assert.deepEqual(await read(reach, 2, second.nextAfter ?? undefined), {
        messages: '5,6',
        nextAfter: null,
      })
      await append(3)
      assert.deepEqual(await read(reach, 9, after), { messages: '5,6,7,8,9', nextAfter: null })
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

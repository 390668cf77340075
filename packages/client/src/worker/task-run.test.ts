import { expect, it } from 'vitest'
import type { Agent, ClaimedTask } from '../wire.js'
import { TaskRun } from './task-run.js'
import type { WorkerApi } from './worker-api.js'

const task = { id: 'task_1', title: 'Split', fencing_token: 1, depends_on: [], attempts: 1 }

it('an event of what a run itself has done does not end the run as one that lost its task', async () => {
  let answer = (): void => undefined
  let sent = (): void => undefined
  const delegated = new Promise<void>((resolve) => (sent = resolve))
  let heartbeats = 0
  const tasks: Partial<WorkerApi['tasks']> = {
    async *allComments() {},
    delegate: () =>
      new Promise((resolve) => {
        answer = () => resolve({ tasks: [] })
        sent()
      }),
    // The server refuses it once the task waits for its parts.
    heartbeat: () => {
      heartbeats += 1
      return Promise.reject(Object.assign(new Error('no longer holds the lease'), { status: 409 }))
    },
  }
  let outcome: unknown
  const run = new TaskRun<WorkerApi>(
    {
      client: { tasks } as unknown as WorkerApi,
      task: task as unknown as ClaimedTask,
      leaseMs: 60_000,
      claimedAt: performance.now(),
      agent: () => Promise.resolve({ id: 'agent_1' } as Agent),
      work: (_task, { delegate }) => delegate([{ title: 'part' }], { wait: true }),
      onError: (error) => expect.fail(String(error)),
      onOutcome: (ended) => (outcome = ended),
    },
    undefined,
  )
  await delegated
  const checked = run.check()
  answer()
  await checked
  await run.settled
  expect([heartbeats, outcome]).toEqual([
    0,
    { taskId: 'task_1', outcome: 'ended', reason: 'the task waits for its parts' },
  ])
})

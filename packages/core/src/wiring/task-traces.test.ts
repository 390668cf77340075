import { expect, it } from 'vitest'
import { TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from '../events/index.js'
import { createTaskTraces } from './task-traces.js'

const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const eventOf = (taskId?: string): LoggedEvent =>
  ({ workspaceId: 'ws_1', data: taskId === undefined ? {} : { taskId } }) as unknown as LoggedEvent

function open(read: (taskId: string) => Promise<string | null>) {
  const warnings: unknown[] = []
  const reads: string[] = []
  const none = () => undefined
  const traces = createTaskTraces(
    {
      storageNow: () => null,
      logger: {
        debug: none,
        info: none,
        error: none,
        fatal: none,
        warn: (fields) => void warnings.push(fields),
      },
    },
    {
      getTask: async ({ taskId }) => {
        reads.push(taskId)
        return { task: { traceparent: await read(taskId) } } as never
      },
    },
  )
  return { traces, reads, warnings }
}

it('reads the trace of a task once', async () => {
  const { traces, reads } = open(async () => trace)
  expect([await traces(eventOf('task_1')), await traces(eventOf('task_1'))]).toEqual([trace, trace])
  expect(reads).toEqual(['task_1'])
})

it('has none for an event without a task', async () => {
  const { traces, reads } = open(async () => trace)
  expect(await traces(eventOf())).toBeNull()
  expect(reads).toEqual([])
})

it('has none for a task that was deleted, and warns of any other failure', async () => {
  const { traces, warnings } = open(async (taskId) => {
    throw taskId === 'task_gone' ? new TaskboardError('TASK_NOT_FOUND', 'gone') : new Error('no storage')
  })
  expect(await traces(eventOf('task_gone'))).toBeNull()
  expect(warnings).toEqual([])
  expect(await traces(eventOf('task_1'))).toBeNull()
  expect(warnings).toEqual([{ taskId: 'task_1', err: expect.objectContaining({ message: 'no storage' }) }])
})

it('caches the last thousand', async () => {
  const { traces, reads } = open(async () => null)
  for (let n = 0; n <= 1_000; n++) await traces(eventOf(`task_${n}`))
  await traces(eventOf('task_1'))
  expect(reads).toHaveLength(1_001)
  await traces(eventOf('task_0'))
  expect(reads).toHaveLength(1_002)
})

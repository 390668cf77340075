import { z } from 'zod'
import { taskStatus, type Task } from '../../board/index.js'
import { timestamp, toTimestamp } from '../wire/wire-schemas.js'
import { progress, statusText } from '../wire/task-wire.js'

/** The answer to an agent outside of the host that writes to a task. */
export const workedTaskJson = z
  .object({
    id: z.string(),
    status: statusText,
    progress,
    fencing_token: z.int(),
    lease_expires_at: timestamp
      .nullable()
      .meta({ description: 'Null once the agent no longer has the task.' }),
    not_before: timestamp.nullable().meta({ description: 'When a failed task can be taken again.' }),
  })
  .meta({ id: 'WorkedTask' })

export function toWorkedTask(task: Task): z.output<typeof workedTaskJson> {
  return {
    id: task.id,
    status: taskStatus(task),
    progress: task.progress,
    fencing_token: task.fencingToken,
    lease_expires_at: toTimestamp(task.lease?.expiresAt ?? null),
    not_before: toTimestamp(task.notBefore),
  }
}

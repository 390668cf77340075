import { TaskboardError } from '@taskboard/core'

/** What a write is refused with whose lease has passed to another, or has ended. */
export function leaseLost(): TaskboardError {
  return new TaskboardError('CONFLICT', 'the lease on this task is no longer held with that fencing token', {
    field: 'fencingToken',
  })
}

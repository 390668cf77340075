import { TaskboardError } from '@taskboard/core'

/** The error for a write whose lease has ended or passed to another agent. */
export function leaseLost(): TaskboardError {
  return new TaskboardError('CONFLICT', 'the lease on this task is no longer held with that fencing token', {
    field: 'fencingToken',
  })
}

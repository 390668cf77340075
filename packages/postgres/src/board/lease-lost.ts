import { TaskboardError } from '@taskboard/core'

/** The error for a write whose lease has expired or passed to another agent. */
export function leaseLost(): TaskboardError {
  return new TaskboardError(
    'CONFLICT',
    'this fencing token no longer holds the lease on the task; stop working on it',
    {
      field: 'fencingToken',
    },
  )
}

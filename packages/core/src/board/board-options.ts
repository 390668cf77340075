import type { InTransaction } from '../environment/index.js'
import { nameFault, TaskboardError } from '../errors/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { Backoff } from './backoff.js'
import type { ActingAs } from './task.js'

export interface ListOptions<Tx> extends InTransaction<Tx> {
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

export interface WriteOptions<Tx> extends InTransaction<Tx> {
  /** Who makes the change, for its event. Default: the host, or the agent whose run uses the board. */
  readonly actor?: ActingAs | undefined
}

export interface UpdateOptions<Tx> extends WriteOptions<Tx> {
  /** Rejects a budget that is more than the present one, for a caller who may not raise it. Default false. */
  readonly lowersBudget?: boolean | undefined
}

export interface AddOptions<Tx> extends WriteOptions<Tx> {
  readonly idempotency?: IdempotencyClaim | undefined
}

export interface BoardSettings {
  readonly leaseMs: number
  readonly maxAttempts: number
  readonly backoff: Backoff
  /** For how long a request for approval can be decided. */
  readonly approvalsExpireAfterMs: number
}

/** Who acts, without further members. @throws TaskboardError `INVALID_FIELD` (`name`) for a name that no one could read. */
export function actingAs({ kind, id, name, owner }: ActingAs): ActingAs {
  if (name == null) return { kind, id, owner }
  const fault = nameFault(name)
  if (fault !== null) throw new TaskboardError('INVALID_FIELD', `name ${fault}`, { field: 'name' })
  return { kind, id, name, owner }
}

export const DEFAULT_PAGE = 100

/** The length of a renewal: null for the length that the claim asked for. @throws TaskboardError `INVALID_FIELD`. */
export function renewalOf(leaseMs: number | undefined): number | null {
  return leaseMs === undefined ? null : requireLease(leaseMs)
}

/** @throws TaskboardError `INVALID_FIELD` for a length that no lease may have. */
export function requireLease(leaseMs: number): number {
  if (Number.isInteger(leaseMs) && leaseMs >= 1_000 && leaseMs <= 86_400_000) return leaseMs
  throw new TaskboardError('INVALID_FIELD', 'leaseMs must be from 1,000 to 86,400,000', { field: 'leaseMs' })
}

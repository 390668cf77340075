import { TaskboardError, type Instant, type Created, type IdempotencyClaim } from '@taskboard/core'
import { idempotencyRetentionMs } from '@taskboard/core/storage'
import type { Journal } from './journal.js'
import { createTable } from './table.js'

interface IdempotencyRecord {
  readonly fingerprint: string
  readonly value: { readonly id: string }
  readonly createdAt: Instant
  /** Null before there was one. */
  readonly answer: object | null
}

/** Remembers what creates returned under their callers' keys. */
export interface IdempotencyRecords {
  /** Returns what the key created before, or creates and remembers it. @throws as `TaskStore.insertTask` does. */
  once<T extends { readonly id: string }>(
    claim: IdempotencyClaim | null,
    now: Instant,
    make: () => T,
  ): Created<T>
  /** See `Storage.saveIdempotentResponse`. */
  saveIdempotentResponse<T extends object>(claim: Pick<IdempotencyClaim, 'scope' | 'key'>, answer: T): T
  prune(before: Instant, limit: number): number
  /** Deletes the records of callers who work on these workspaces by default. */
  removeWorkspaces(workspaceIds: ReadonlySet<string>): number
}

export function createIdempotencyRecords(journal: Journal): IdempotencyRecords {
  const records = createTable<IdempotencyRecord>(journal)
  return {
    once<T extends { readonly id: string }>(claim: IdempotencyClaim | null, now: Instant, make: () => T) {
      if (claim === null) return { value: make(), replayed: false }
      const id = recordId(claim)
      const record = records.get(id)
      if (record !== undefined && record.createdAt + idempotencyRetentionMs > now) {
        if (record.fingerprint === claim.fingerprint) return { value: record.value as T, replayed: true }
        throw new TaskboardError('CONFLICT', 'the idempotency key was used for another request', {
          resourceId: record.value.id,
        })
      }
      const value = make()
      // An expired record is deleted first, so that the table stays in the order of age.
      records.delete(id)
      records.set(id, { fingerprint: claim.fingerprint, value, createdAt: now, answer: null })
      return { value, replayed: false }
    },
    saveIdempotentResponse<T extends object>(claim: Pick<IdempotencyClaim, 'scope' | 'key'>, answer: T) {
      const id = recordId(claim)
      const record = records.get(id)
      if (record === undefined) return answer
      if (record.answer !== null) return record.answer as T
      records.set(id, { ...record, answer })
      return answer
    },
    prune(before, limit) {
      let count = 0
      for (const [id, record] of records.entries()) {
        if (count >= limit || record.createdAt >= before) break
        records.delete(id)
        count += 1
      }
      return count
    },
    removeWorkspaces(workspaceIds) {
      let count = 0
      for (const [id] of records.entries()) {
        const [workspaceId] = WORKSPACE_ID.exec(id) ?? []
        if (workspaceId === undefined || !workspaceIds.has(workspaceId)) continue
        records.delete(id)
        count += 1
      }
      return count
    },
  }
}

/** As requests write it into the scope. */
const WORKSPACE_ID = /ws_[0-9A-Za-z]+/

function recordId({ scope, key }: Pick<IdempotencyClaim, 'scope' | 'key'>): string {
  return JSON.stringify([scope, key])
}

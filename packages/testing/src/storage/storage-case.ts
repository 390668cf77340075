import assert from 'node:assert/strict'
import { isTaskboardError, type ErrorCode } from '@taskboard/core'
import type { OpenedStorage } from './opened-storage.js'
import { createStorageFixture, type StorageFixture } from './storage-fixture.js'

/** One promise of the ports, checked on a separate storage. */
export interface ConformanceCase {
  /** Stable and unique: `tasks.insert-defaults`. */
  readonly id: string
  readonly name: string
  /** Rejects with an `AssertionError` when the promise isn't kept. */
  run(): Promise<void>
}

/** A case before it is given a storage. */
export interface StorageCheck {
  readonly id: string
  readonly name: string
  readonly check: (fixture: StorageFixture) => Promise<void>
}

export function toCase(
  open: () => Promise<OpenedStorage>,
  { id, name, check }: StorageCheck,
): ConformanceCase {
  return {
    id,
    name,
    async run() {
      const opened = await open()
      const others: Pick<OpenedStorage, 'close'>[] = []
      try {
        const { openAnother } = opened
        const openNext =
          openAnother &&
          (async () => {
            const other = await openAnother()
            others.push(other)
            return other.storage
          })
        await check(await createStorageFixture(opened, openNext ?? null))
      } finally {
        for (const { close } of others) await close()
        await opened.close()
      }
    },
  }
}

/** Holds that a verb fails with a code and, when one is named, for a field. */
export async function assertRefused(work: Promise<unknown>, code: ErrorCode, field?: string): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isTaskboardError(error), `a TaskboardError with ${code}, not ${String(error)}`)
    assert.equal(error.code, code)
    if (field !== undefined) assert.equal(error.field, field)
    return true
  })
}

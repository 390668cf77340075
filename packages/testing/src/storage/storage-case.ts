import assert from 'node:assert/strict'
import { isTaskboardError, type ErrorCode, type Storage } from '@taskboard/core'
import { createWorld, type World } from './world.js'

/** A storage to try, empty, and how to get rid of it. */
export interface OpenedStorage {
  readonly storage: Storage
  /**
   * Whether what is read beside an open transaction waits for its end, as on one connection, instead of showing the state
   * before it; default false. Either way nobody sees what is not committed.
   */
  readonly readsWait?: boolean | undefined
  close(): Promise<void>
}

/** One promise of the ports, held against a storage of its own. */
export interface ConformanceCase {
  /** Stable and unique: `tasks.insert-defaults`. */
  readonly id: string
  readonly name: string
  /** Rejects with an `AssertionError` when the promise is not kept. */
  run(): Promise<void>
}

/** A case before it is given a storage. */
export interface StorageCheck {
  readonly id: string
  readonly name: string
  readonly check: (world: World) => Promise<void>
}

export function toCase(
  open: () => Promise<OpenedStorage>,
  { id, name, check }: StorageCheck,
): ConformanceCase {
  return {
    id,
    name,
    async run() {
      const { storage, readsWait = false, close } = await open()
      try {
        await check(await createWorld(storage, readsWait))
      } finally {
        await close()
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

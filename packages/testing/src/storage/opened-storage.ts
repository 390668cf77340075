import type { Storage } from '@taskboard/core'

/** An empty storage under test, and how to close it. */
export interface OpenedStorage {
  readonly storage: Storage
  /**
   * Whether reads next to an open transaction wait for its end, as on one connection, instead of showing the state before it. Default
   * false. Either way nothing uncommitted is visible.
   */
  readonly readsWait?: boolean | undefined
  /**
   * Whether writes next to an open transaction wait for its end, as with a single writer. Default `readsWait`.
   */
  readonly writesWait?: boolean | undefined
  /**
   * Opens another storage on the same data, as another process would. It is used next to the first, and closed before it. Null or
   * absent when the data can't be shared.
   */
  readonly openAnother?: (() => Promise<Pick<OpenedStorage, 'storage' | 'close'>>) | null | undefined
  close(): Promise<void>
}

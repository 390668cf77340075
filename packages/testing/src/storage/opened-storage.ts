import type { Storage } from '@taskboard/core'

/** A storage to try, empty, and how to get rid of it. */
export interface OpenedStorage {
  readonly storage: Storage
  /**
   * Whether what is read beside an open transaction waits for its end, as on one connection, instead of showing the state
   * before it; default false. Either way nobody sees what is not committed.
   */
  readonly readsWait?: boolean | undefined
  /**
   * Whether what is written beside an open transaction waits for its end, as where one writer follows the other; default
   * `readsWait`.
   */
  readonly writesWait?: boolean | undefined
  /**
   * Opens another storage on what this one stores on, as another process would; it is used beside the first, and closed before
   * it. Null, or absent, where nobody else can use that.
   */
  readonly openAnother?: (() => Promise<Pick<OpenedStorage, 'storage' | 'close'>>) | null | undefined
  close(): Promise<void>
}

/** Something whose last writes can be undone. */
export interface Reversible<K = string> {
  /** Sets `value` (undefined for none) under `key` and returns the previous value, without an entry in the journal. */
  swap(key: K, value: unknown): unknown
}

/**
 * The writes since the last commit, each with the previous value. Undoing them replays those values through the same change hooks,
 * so every index follows.
 */
export interface Journal {
  readonly length: number
  note<K>(target: Reversible<K>, key: K, before: unknown): void
  /** Undoes all writes after the first `length`. */
  rollBackTo(length: number): void
  /** Runs a synchronous `read` on the state before the journal's writes, then redoes them. */
  withoutWrites<T>(read: () => T): T
  /** Clears the journal and keeps the writes. */
  commit(): void
}

/** A longer list isn't reused. */
const LONGEST_KEPT = 256

/** Three columns instead of objects, because a verb writes several entries. */
export function createJournal(): Journal {
  let targets: Reversible<unknown>[] = []
  let keys: unknown[] = []
  /** The values that aren't in place: those before while a write stands, the written ones while it is taken back. */
  let others: unknown[] = []
  let length = 0

  function exchange(index: number): void {
    others[index] = targets[index]?.swap(keys[index], others[index])
  }

  function forget(): void {
    if (length > LONGEST_KEPT) {
      targets = []
      keys = []
      others = []
    } else {
      for (let index = 0; index < length; index++) {
        keys[index] = undefined
        others[index] = undefined
      }
    }
    length = 0
  }

  return {
    get length() {
      return length
    },
    note(target, key, before) {
      targets[length] = target
      keys[length] = key
      others[length] = before
      length += 1
    },
    rollBackTo(start) {
      while (length > start) {
        length -= 1
        exchange(length)
        keys[length] = undefined
        others[length] = undefined
      }
    },
    withoutWrites(read) {
      const standing = length
      for (let index = standing - 1; index >= 0; index--) exchange(index)
      length = 0
      try {
        return read()
      } finally {
        for (let index = 0; index < standing; index++) exchange(index)
        length = standing
      }
    },
    commit: forget,
  }
}

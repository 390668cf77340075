/** Something whose last writes can be taken back. */
export interface Reversible {
  /** Puts `value` (undefined for none) under `key` and returns what was there, without a note in the journal. */
  swap(key: string, value: unknown): unknown
}

/**
 * The writes since the last commit, each as what was there before. Taking them back replays those values through the same
 * change hooks, so that every index follows by itself.
 */
export interface Journal {
  readonly length: number
  note(target: Reversible, key: string, before: unknown): void
  /** Takes back all writes after the first `length`. */
  rollBackTo(length: number): void
  /** Runs a synchronous `read` on what was there before the journal's writes, then brings them back. */
  withoutWrites<T>(read: () => T): T
  /** Forgets the notes: the writes stand. */
  commit(): void
}

interface Note {
  readonly target: Reversible
  readonly key: string
  /** The value that is not in place: the one before while the write stands, the written one while it is taken back. */
  other: unknown
}

export function createJournal(): Journal {
  let notes: Note[] = []

  function exchange(note: Note): void {
    note.other = note.target.swap(note.key, note.other)
  }

  return {
    get length() {
      return notes.length
    },
    note(target, key, before) {
      notes.push({ target, key, other: before })
    },
    rollBackTo(length) {
      while (notes.length > length) exchange(notes.pop() as Note)
    },
    withoutWrites(read) {
      if (notes.length === 0) return read()
      const standing = notes
      notes = []
      for (const note of standing.toReversed()) exchange(note)
      try {
        return read()
      } finally {
        for (const note of standing) exchange(note)
        notes = standing
      }
    },
    commit() {
      if (notes.length > 0) notes = []
    },
  }
}

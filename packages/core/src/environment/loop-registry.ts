import type { Instant } from './clock.js'

/** What a background loop does, by the process's clock. */
export interface LoopState {
  readonly name: string
  /** When the pass in progress began; null between passes. */
  readonly passSince: Instant | null
  /** When the next pass is due; null when only a wake-up starts it, and during a pass. */
  readonly dueAt: Instant | null
  /** When the last pass ended; null before the end of the first. */
  readonly lastPassAt: Instant | null
  /** How many passes have thrown since the last one that didn't. */
  readonly failures: number
}

/** The background loops of one task board that run at present. */
export interface LoopRegistry {
  /** Adds a loop. Returns a function that removes it. */
  add(loop: LoopState): () => void
  list(): readonly LoopState[]
}

export function createLoopRegistry(): LoopRegistry {
  const loops = new Set<LoopState>()
  return {
    add(loop) {
      loops.add(loop)
      return () => void loops.delete(loop)
    },
    list: () => [...loops],
  }
}

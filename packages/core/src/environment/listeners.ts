/** Listeners that are called with each value. */
export interface Listeners<T> {
  readonly call: (value: T) => void
  /** Returns a function that removes it. */
  add(listener: (value: T) => void): () => void
}

/**
 * Creates an empty list of listeners. An error of one of them affects neither the caller nor the others.
 * @example
 * ```ts
 * import { createListeners } from '@taskboard/core/storage'
 *
 * const lines = createListeners<string>()
 * const stop = lines.add((line) => console.log(line)) // begun
 * lines.call('begun')
 * stop()
 * ```
 */
export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<{ readonly call: (value: T) => void }>()
  return {
    call(value) {
      for (const { call } of listeners) {
        try {
          call(value)
        } catch {
          // What a listener throws affects neither the caller nor the other listeners.
        }
      }
    },
    add(call) {
      const entry = { call }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
  }
}

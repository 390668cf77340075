import type { Held, Lease } from './lease.js'

/** Makes the writes of one run: one after the other, each renews the lease. */
export interface TaskWriter {
  /** `isStrict`: the write has its own conflicts. A rejection that no one awaits has no effect. */
  <A extends unknown[], R>(
    send: (held: Held, ...args: A) => Promise<R>,
    isStrict?: boolean,
  ): (...args: A) => Promise<R>
  /** Resolves when all writes have finished, including writes that begin while it waits. */
  settled: () => Promise<void>
}

export function createWriter(lease: Lease): TaskWriter {
  let queue: Promise<unknown> = Promise.resolve()
  const write = <A extends unknown[], R>(
    send: (held: Held, ...args: A) => Promise<R>,
    isStrict?: boolean,
  ): ((...args: A) => Promise<R>) => {
    return (...args) => {
      const result = queue.then(() => lease.write((held) => send(held, ...args), isStrict))
      queue = result.catch(() => undefined)
      return result
    }
  }
  return Object.assign(write, {
    async settled() {
      let seen: Promise<unknown> | undefined
      while (seen !== queue) await (seen = queue)
    },
  })
}

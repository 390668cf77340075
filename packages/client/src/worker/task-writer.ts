import type { Held, Lease } from './lease.js'

/** Makes the writes of one run: one after the other, each renews the lease. */
export interface TaskWriter {
  /** `isStrict`: the write has conflicts of its own. A rejection that nobody awaits has no effect. */
  <A extends unknown[], R>(
    send: (held: Held, ...args: A) => Promise<R>,
    isStrict?: boolean,
  ): (...args: A) => Promise<R>
  /** Resolves when all writes have ended, including those that begin meanwhile. */
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

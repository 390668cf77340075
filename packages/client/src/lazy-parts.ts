import type { Realtime, RealtimeMessage, RealtimeOptions, Subscription } from './realtime/index.js'
import type { Worker, WorkerApi, WorkerOptions } from './worker/index.js'

/** The realtime part, loaded with the first message that is asked for, so that bundlers can split it off. */
export function lazyRealtime(options: () => RealtimeOptions): Realtime {
  let realtime: Promise<Realtime> | undefined
  return {
    subscribe(channels, subscribing) {
      let inner: Promise<Subscription> | undefined
      let isOver = false
      const end = { done: true, value: undefined } as const
      const subscription: Subscription = {
        next() {
          if (isOver && inner === undefined) return Promise.resolve(end)
          realtime ??= import('./realtime/index.js').then(({ createRealtime }) => createRealtime(options()))
          // A part that could not be loaded is asked for again.
          realtime.catch(() => (realtime = undefined))
          inner ??= realtime.then((made) => made.subscribe(channels, subscribing))
          return inner.then((each): Promise<IteratorResult<RealtimeMessage, undefined>> => each.next())
        },
        async return() {
          isOver = true
          return (await inner)?.return() ?? end
        },
        [Symbol.asyncIterator]: () => subscription,
      }
      return subscription
    },
  }
}

/**
 * Loads the worker part and starts a worker.
 * @throws TypeError for options with which it would never work.
 */
export function lazyWorker<Client extends WorkerApi>(client: Client, options: WorkerOptions<Client>): Worker {
  const { agentId, run, concurrency = 1, onError } = options
  if (!agentId || typeof run !== 'function' || !(concurrency >= 1)) {
    throw new TypeError('a worker needs an agentId, a function run, and a concurrency of 1 or more')
  }
  const started = import('./worker/index.js').then(({ startWorker }) => startWorker(client, options))
  const done = started.then((worker) => worker.done)
  // Nobody else has to listen then.
  if (onError !== undefined) done.catch((error: unknown) => onError(error, null)).catch(() => undefined)
  return { stop: (stopping) => started.then((worker) => worker.stop(stopping)), done }
}

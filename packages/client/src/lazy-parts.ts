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

/** Loads the worker part and starts a worker. */
export function lazyWorker<Client extends WorkerApi>(client: Client, options: WorkerOptions<Client>): Worker {
  const started = import('./worker/index.js').then(({ startWorker }) => startWorker(client, options))
  return {
    stop: (stopping) => started.then((worker) => worker.stop(stopping)),
    done: started.then((worker) => worker.done),
  }
}

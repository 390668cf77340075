import type { Instant } from '@taskboard/core'
import type { Sender } from '@taskboard/core/storage'
import type { ProcessState, World } from './world.js'

type SendRequest = Parameters<Sender['send']>[0]
type SendResult = Awaited<ReturnType<Sender['send']>>

/** What reached the receivers. */
export interface Received {
  readonly deliveryId: string
  readonly body: string
  readonly at: Instant
  readonly process: ProcessState
  /** Whether the receiver answered with success. The process may not have got the answer. */
  readonly accepted: boolean
}

export interface Receivers {
  readonly received: Received[]
  /** How many sends wait for an answer, by URL. */
  readonly waiting: ReadonlyMap<string, number>
  senderOf(process: ProcessState): Sender
}

/** The endpoints of webhooks. The host name of each says how often it fails: `https://fails-30.example/`, in percent. */
export function createReceivers(world: World): Receivers {
  const received: Received[] = []
  const waiting = new Map<string, number>()

  function accept(process: ProcessState, { headers, body }: SendRequest, accepted: boolean): void {
    const deliveryId = headers['X-Service-Delivery'] ?? ''
    received.push({ deliveryId, body: Buffer.from(body).toString(), at: world.now, process, accepted })
  }

  function arrive(process: ProcessState, request: SendRequest): SendResult | null {
    const { random } = world
    const percent = Number(/fails-(\d+)/.exec(request.url)?.[1] ?? 0)
    if (random.below(100) >= percent) {
      accept(process, request, true)
      return { kind: 'answered', status: 204, excerpt: '' }
    }
    const fault = random.below(8)
    // A receiver that is gone for good disables its webhook.
    if (fault === 0 && percent < 100 && random.chance(0.1))
      return { kind: 'answered', status: 410, excerpt: '' }
    if (fault <= 3) {
      accept(process, request, false)
      return { kind: 'answered', status: random.pick([400, 500, 503]), excerpt: 'no' }
    }
    if (fault <= 5) return { kind: 'unanswered', error: 'network', detail: 'ECONNREFUSED' }
    accept(process, request, percent < 100)
    return fault === 6 ? { kind: 'unanswered', error: 'network', detail: 'ECONNRESET' } : null
  }

  return {
    received,
    waiting,
    senderOf: (process) => ({
      send: (request) =>
        new Promise((resolve) => {
          const { url } = request
          waiting.set(url, (waiting.get(url) ?? 0) + 1)
          let isOver = false
          const end = (result: SendResult): void => {
            if (isOver) return
            isOver = true
            timer.cancel()
            waiting.set(url, (waiting.get(url) ?? 0) - 1)
            resolve(result)
          }
          const timeout: SendResult = { kind: 'unanswered', error: 'timeout', detail: 'no answer in time' }
          const timer = world.clockOf(process).setTimer(() => end(timeout), request.timeoutMs)
          request.signal.addEventListener('abort', () => end({ kind: 'aborted' }), { once: true })
          world.push({
            process,
            label: `${process.name}: a webhook arrives at ${url}`,
            run() {
              if (isOver) return
              const result = arrive(process, request)
              if (result === null) return
              world.push({ process, label: `${process.name}: its answer arrives`, run: () => end(result) })
            },
            orphaned() {
              waiting.set(url, (waiting.get(url) ?? 0) - 1)
              if (world.random.chance(0.5)) arrive(process, request)
            },
          })
        }),
      close: () => Promise.resolve(),
    }),
  }
}

import { signal, type ReadonlySignal } from '@preact/signals'

export type Verdict = 'approved' | 'rejected'

/** What a person decided, from the click on. While it is `waiting` it can be taken back, and the server does not know of it. */
export interface Decision {
  readonly verdict: Verdict
  readonly comment: string
  /** Of the input that was shown. */
  readonly digest: string
  readonly state: 'waiting' | 'sending' | 'sent'
}

/** What to call once the server has taken a decision, or hasn't. */
interface Outcome {
  readonly onSent: () => void
  readonly onFailed: (error: unknown) => void
}

/** What a person decided about. */
export type Choice = Omit<Decision, 'state'>

type Send = (id: string, decision: Choice) => Promise<unknown>

/** For this long a decision can be taken back. */
export const UNDO_MS = 5_000
/** A browser lets a page that is left send 64 KiB. */
const MOST_WAITING_BYTES = 48 * 1_024
const MOST_KEPT = 200

export interface Decisions {
  readonly all: ReadonlySignal<ReadonlyMap<string, Decision>>
  /** Decides, unless that was done before. */
  decide(id: string, choice: Choice, outcome: Outcome): void
  /** Takes a decision back that wasn't sent; false when it is too late. */
  undo(id: string): boolean
  /** Sends those that wait, without waiting longer. Resolves when the server has answered each. */
  sendAll(): Promise<void>
}

/** Decisions about approvals, by their ids: each is sent once, after the time to take it back, in the order of the clicks. */
export function createDecisions(send: Send): Decisions {
  const all = signal<ReadonlyMap<string, Decision>>(new Map())
  const waiting = new Map<string, Outcome & { readonly timer: ReturnType<typeof setTimeout> }>()
  const onTheWay = new Set<Promise<void>>()

  function set(id: string, decision: Decision | null): void {
    const next = new Map(all.peek())
    if (decision === null) next.delete(id)
    else next.set(id, decision)
    for (const [known, { state }] of next) {
      if (next.size <= MOST_KEPT) break
      if (state === 'sent') next.delete(known)
    }
    all.value = next
  }

  /** Those before it go first. A page that is being left has no time to wait for the answers between them. */
  function sendUpTo(last: string): void {
    for (const id of waiting.keys()) {
      const sending = sendOne(id)
      onTheWay.add(sending)
      void sending.finally(() => onTheWay.delete(sending))
      if (id === last) return
    }
  }

  async function sendOne(id: string): Promise<void> {
    const outcome = waiting.get(id)
    const decision = all.peek().get(id)
    if (outcome === undefined || decision === undefined) return
    waiting.delete(id)
    clearTimeout(outcome.timer)
    set(id, { ...decision, state: 'sending' })
    try {
      await send(id, decision)
      set(id, { ...decision, state: 'sent' })
      outcome.onSent()
    } catch (error) {
      set(id, null)
      outcome.onFailed(error)
    }
  }

  const bytesWaiting = (): number => {
    const comments = [...waiting.keys()].map((id) => all.peek().get(id)?.comment ?? '')
    return new TextEncoder().encode(comments.join('')).length
  }

  return {
    all,
    decide(id, choice, outcome) {
      if (all.peek().has(id)) return
      waiting.set(id, { ...outcome, timer: setTimeout(() => sendUpTo(id), UNDO_MS) })
      set(id, { ...choice, state: 'waiting' })
      for (const first of waiting.keys()) {
        if (first === id || bytesWaiting() <= MOST_WAITING_BYTES) break
        sendUpTo(first)
      }
    },
    undo(id) {
      const found = waiting.get(id)
      if (found === undefined) return false
      clearTimeout(found.timer)
      waiting.delete(id)
      set(id, null)
      return true
    },
    async sendAll() {
      const last = [...waiting.keys()].at(-1)
      if (last !== undefined) sendUpTo(last)
      await Promise.all(onTheWay)
    },
  }
}

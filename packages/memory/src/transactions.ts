import { TaskboardError, type At, type Instant } from '@taskboard/core'
import type { Journal } from './journal.js'

declare const transactionBrand: unique symbol

/** An open transaction of a memory storage. Pass it as `tx`; it is of no other use. */
export interface MemoryTransaction {
  readonly [transactionBrand]: true
}

/**
 * Lets verbs run one at a time, each whole or not at all.
 *
 * While a transaction is open, verbs without it see the state before it (its writes are taken aside for the length of such
 * a read) and writes without it wait, in the order of their calls. So a transaction's own work must not await a write that
 * it did not give its `tx`.
 */
export interface Transactions {
  /** Runs a verb that changes nothing. */
  readonly read: <T>(at: At<MemoryTransaction> | null, verb: (now: Instant) => T) => Promise<T>
  /** Runs a verb; what it wrote is taken back when it throws. */
  readonly write: <T>(at: At<MemoryTransaction> | null, verb: (now: Instant) => T) => Promise<T>
  /** `Storage.transaction`. */
  readonly transaction: <T>(work: (tx: MemoryTransaction) => Promise<T>) => Promise<T>
}

export interface TransactionsParts {
  readonly journal: Journal
  readonly now: () => Instant
  /** Called after a commit that wrote something. */
  readonly onCommit: () => void
}

export function createTransactions({ journal, now, onCommit }: TransactionsParts): Transactions {
  const waiting: (() => void)[] = []
  let current: MemoryTransaction | null = null

  function presentOf(at: At<MemoryTransaction> | null): Instant {
    return at?.now ?? now()
  }

  function requireOpen(tx: MemoryTransaction): void {
    if (tx !== current) throw new TaskboardError('CONFLICT', 'the transaction is not open any more')
  }

  /** Runs a verb to its end or leaves no trace of it. Within a transaction the commit comes later. */
  function runVerb<T>(at: At<MemoryTransaction> | null, verb: (now: Instant) => T): T {
    const start = journal.length
    let value: T
    try {
      value = verb(presentOf(at))
    } catch (error) {
      journal.rollBackTo(start)
      throw error
    }
    if (current === null) commit()
    return value
  }

  function commit(): void {
    if (journal.length === 0) return
    journal.commit()
    onCommit()
  }

  /** Lets those who wait go on, up to the first that opens a transaction of its own. */
  function release(): void {
    current = null
    while (current === null && waiting.length > 0) waiting.shift()?.()
  }

  function open(): MemoryTransaction {
    current = Object.freeze({}) as MemoryTransaction
    return current
  }

  /** Opens one as soon as it is this caller's turn, so that nobody comes between. */
  function opened(): Promise<MemoryTransaction> {
    return new Promise((resolve) => waiting.push(() => resolve(open())))
  }

  return {
    async read(at, verb) {
      if (at?.tx !== undefined) requireOpen(at.tx)
      if (current === null || at?.tx !== undefined) return verb(presentOf(at))
      return journal.withoutWrites(() => verb(presentOf(at)))
    },
    async write(at, verb) {
      if (at?.tx !== undefined) requireOpen(at.tx)
      else if (current !== null) {
        return new Promise((resolve, reject) => {
          waiting.push(() => {
            try {
              resolve(runVerb(at, verb))
            } catch (error) {
              reject(error as Error)
            }
          })
        })
      }
      return runVerb(at, verb)
    },
    async transaction(work) {
      const tx = current === null ? open() : await opened()
      try {
        const value = await work(tx)
        commit()
        return value
      } catch (error) {
        journal.rollBackTo(0)
        throw error
      } finally {
        release()
      }
    },
  }
}

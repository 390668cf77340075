import { TaskboardError, type Instant } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import { AsyncLocalStorage } from 'node:async_hooks'
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
 * a read) and writes without it wait, in the order of their calls. Inside its own work they would wait for themselves: there they
 * reject with `MISSING_FIELD` (`tx`), and so does another transaction.
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
  /** The transaction whose work the caller runs in. */
  const inside = new AsyncLocalStorage<MemoryTransaction>()

  const isOpen = (): boolean => current !== null
  const presentOf = (at: At<MemoryTransaction> | null): Instant => at?.now ?? now()

  /** Whether the verb is part of the open transaction. */
  function isInside(at: At<MemoryTransaction> | null): boolean {
    if (at?.tx === undefined) return false
    if (at.tx === current) return true
    throw new TaskboardError('CONFLICT', 'the transaction is not open any more')
  }

  /** Runs a verb to its end or leaves no trace of it. Within a transaction the commit comes later. */
  function runVerb<T>(at: At<MemoryTransaction> | null, verb: (now: Instant) => T): T {
    const start = journal.length
    try {
      const value = verb(presentOf(at))
      if (current === null) commit()
      return value
    } catch (error) {
      journal.rollBackTo(start)
      throw error
    }
  }

  function commit(): void {
    if (journal.length === 0) return
    journal.commit()
    onCommit()
  }

  /**
   * Resolves to what `begin` gives when no transaction is open, without anybody coming between.
   * @throws TaskboardError `MISSING_FIELD` (`tx`) inside the work of the open one.
   */
  function queued<T>(begin: () => T): Promise<T> {
    if (inside.getStore() === current) throw waitsForItself()
    const settled = async (): Promise<T> => begin()
    return new Promise((resolve) => {
      waiting.push(() => resolve(settled()))
    })
  }

  /** Ends a transaction: those who wait go on, up to the first that opens one of its own. */
  function release(): void {
    current = null
    for (let next = waiting.shift(); next !== undefined; next = isOpen() ? undefined : waiting.shift()) next()
  }

  const open = (): MemoryTransaction => (current = Object.freeze({}) as MemoryTransaction)

  return {
    async read(at, verb) {
      if (isInside(at) || current === null) return verb(presentOf(at))
      return journal.withoutWrites(() => verb(presentOf(at)))
    },
    async write(at, verb) {
      if (isInside(at) || current === null) return runVerb(at, verb)
      return queued(() => runVerb(at, verb))
    },
    async transaction(work) {
      const tx = current === null ? open() : await queued(open)
      try {
        const value = await inside.run(tx, () => work(tx))
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

function waitsForItself(): TaskboardError {
  return new TaskboardError(
    'MISSING_FIELD',
    'tx is required: the write runs inside a transaction, and without { tx } would wait for the end of that transaction',
    { field: 'tx' },
  )
}

import { TaskboardError, type Instant } from '@taskboard/core'
import type { CallContext } from '@taskboard/core/storage'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Journal } from './journal.js'

declare const transactionBrand: unique symbol

/** An open transaction of a memory storage. Its only use is to pass it as `tx`. */
export interface MemoryTransaction {
  readonly [transactionBrand]: true
}

/**
 * Runs verbs one at a time, each completely or not at all.
 *
 * While a transaction is open, reads without it see the state before it: its writes are undone during such a read. Writes without it wait,
 * in the order of their calls. Inside the transaction's work they would wait for themselves, so there they and further transactions reject
 * with `MISSING_FIELD` (`tx`).
 */
export interface Transactions {
  /** Runs a verb that changes nothing. */
  readonly read: <T>(call: CallContext<MemoryTransaction> | null, verb: (now: Instant) => T) => Promise<T>
  /** Runs a verb; undoes its writes when it throws. */
  readonly write: <T>(call: CallContext<MemoryTransaction> | null, verb: (now: Instant) => T) => Promise<T>
  /** `Storage.transaction`. */
  readonly transaction: <T>(work: (tx: MemoryTransaction) => Promise<T>) => Promise<T>
  /** `Storage.inOneCommit`. */
  readonly inOneCommit: <T>(
    call: CallContext<MemoryTransaction>,
    work: (own: CallContext<MemoryTransaction>) => Promise<T>,
  ) => Promise<T>
}

export interface TransactionsParts {
  readonly journal: Journal
  readonly now: () => Instant
  /** Called after a commit that wrote something. */
  readonly onCommit: () => void
}

/**
 * The transaction of each storage whose work the caller runs in. One for all storages. Before Node.js 24, each promise of the process takes
 * time and memory for every `AsyncLocalStorage` that has run something, and tests create many storages.
 */
const inside = new AsyncLocalStorage<ReadonlyMap<object, MemoryTransaction>>()

export function createTransactions({ journal, now, onCommit }: TransactionsParts): Transactions {
  let current: MemoryTransaction | null = null
  const queue = createQueue(() => current !== null)
  const key = {}

  const presentOf = (call: Pick<CallContext, 'now'> | null): Instant => call?.now ?? now()

  /** Whether the verb is part of the open transaction. */
  function isInside(call: CallContext<MemoryTransaction> | null): boolean {
    if (call?.tx === undefined) return false
    if (call.tx === current) return true
    throw new TaskboardError('CONFLICT', 'the transaction is no longer open')
  }

  /** Runs a verb completely or not at all. Within a transaction the commit comes later. */
  function runVerb<T>(call: CallContext<MemoryTransaction> | null, verb: (now: Instant) => T): T {
    const start = journal.length
    try {
      const value = verb(presentOf(call))
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

  /** @throws TaskboardError `MISSING_FIELD` (`tx`) inside the work of the open one. */
  function queued<T>(begin: () => T): Promise<T> {
    if (inside.getStore()?.get(key) === current) throw waitsForItself()
    return queue.add(begin)
  }

  const open = (): MemoryTransaction => (current = Object.freeze({}) as MemoryTransaction)

  async function within<T>(work: (tx: MemoryTransaction) => Promise<T>): Promise<T> {
    const tx = current === null ? open() : await queued(open)
    try {
      const value = await work(tx)
      commit()
      return value
    } catch (error) {
      journal.rollBackTo(0)
      throw error
    } finally {
      current = null
      queue.resume()
    }
  }

  return {
    async read(call, verb) {
      if (isInside(call) || current === null) return verb(presentOf(call))
      return journal.withoutWrites(() => verb(presentOf(call)))
    },
    async write(call, verb) {
      if (isInside(call) || current === null) return runVerb(call, verb)
      return queued(() => runVerb(call, verb))
    },
    transaction: (work) =>
      within((tx) => inside.run(new Map(inside.getStore()).set(key, tx), () => work(tx))),
    // All of its verbs are given the transaction: no work of it waits for itself.
    inOneCommit: (call, work) => (isInside(call) ? work(call) : within((tx) => work({ ...call, tx }))),
  }
}

/** Calls that wait for the end of a transaction, in their order. */
function createQueue(isOpen: () => boolean) {
  const waiting: (() => void)[] = []
  return {
    /** Resolves to the result of `begin` as soon as no transaction is open, before anything else runs. */
    add<T>(begin: () => T): Promise<T> {
      const settled = async (): Promise<T> => begin()
      return new Promise((resolve) => {
        waiting.push(() => resolve(settled()))
      })
    },
    /** Up to the first that opens another transaction. */
    resume(): void {
      let next = waiting.shift()
      while (next !== undefined) {
        next()
        next = isOpen() ? undefined : waiting.shift()
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

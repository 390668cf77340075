import { AsyncLocalStorage } from 'node:async_hooks'
import { TaskboardError } from '../errors/index.js'
import type { Storage } from '../storage/index.js'

/** `Taskboard.transaction`: rejects one within another one immediately, since each would wait for the other. */
export function createTransactions<Tx>(
  storage: Pick<Storage<Tx>, 'transaction'>,
): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  const running = new AsyncLocalStorage<{ isOpen: boolean }>()
  return async (work) => {
    if (running.getStore()?.isOpen === true) {
      const rule = 'a transaction within another one would wait for it: pass on the tx of the outer one'
      throw new TaskboardError('MISSING_FIELD', rule, { field: 'tx' })
    }
    const state = { isOpen: true }
    try {
      return await storage.transaction((tx) => running.run(state, () => work(tx)))
    } finally {
      state.isOpen = false
    }
  }
}

export { memoryStorage } from './memory-storage.js'
export type { MemoryTransaction } from './tables/transactions.js'

export { memoryStorage } from './memory-storage.js'
export type { MemoryTransaction } from './transactions.js'

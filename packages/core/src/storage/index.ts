export type { Pruning, Storage, StorageSettings, StorageState, TaskCounts } from './storage.js'

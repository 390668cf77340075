export type { Pruning, Storage, StorageSettings, StorageState, TaskCounts } from './port.js'

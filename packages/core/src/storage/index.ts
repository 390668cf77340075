export type { Pruning, Storage, StorageSettings } from './storage.js'

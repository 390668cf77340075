export type { Storage, StorageSettings } from './storage.js'

import { createNewId, systemClock, type Instant } from './environment/index.js'
import { TaskboardError } from './errors/index.js'
import { defaultScoring, sameScoring } from './priority/index.js'
import type { StorageSettings } from './storage/index.js'

/** What a storage was told by `bind`, or the defaults as long as it was not. */
export interface BoundSettings {
  readonly current: StorageSettings
  /** The present by the bound clock. */
  readonly now: () => Instant
  /** `Storage.bind`. */
  readonly bind: (settings: StorageSettings) => void
}

const DEFAULTS: Omit<StorageSettings, 'newId'> = {
  scoring: defaultScoring,
  clock: systemClock,
  logLimit: 1_000,
  outputLimit: 100,
}

/** For adapters of storages. `onScoring` is called when the first `bind` brings another scoring than the default one. */
export function createStorageSettings(onScoring: () => void = () => undefined): BoundSettings {
  let current: StorageSettings = { ...DEFAULTS, newId: createNewId() }
  let bound = false
  return {
    get current() {
      return current
    },
    now: () => current.clock.now(),
    bind(settings) {
      const sameScore = sameScoring(current.scoring, settings.scoring)
      if (bound && !sameScore) {
        throw new TaskboardError('INVALID_CONFIG', 'the storage is bound to other weights or horizons', {
          field: 'priority',
        })
      }
      if (bound) return
      bound = true
      current = settings
      if (!sameScore) onScoring()
    },
  }
}

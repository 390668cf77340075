import {
  createNewId,
  defaultScoring,
  sameScoring,
  systemClock,
  TaskboardError,
  type Instant,
  type StorageSettings,
} from '@taskboard/core'

/** What the storage was told by `bind`, or the defaults as long as it was not. */
export interface Settings {
  readonly current: StorageSettings
  readonly now: () => Instant
  readonly bind: (settings: StorageSettings) => void
}

const DEFAULTS: Omit<StorageSettings, 'newId'> = {
  scoring: defaultScoring,
  clock: systemClock,
  logLimit: 1_000,
  outputLimit: 100,
}

/** `onScoring` is called when the scoring changes at the first `bind`. */
export function createSettings(onScoring: () => void): Settings {
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

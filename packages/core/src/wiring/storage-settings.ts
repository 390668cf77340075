import { createNewId, silentLogger, systemClock, type Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { defaultScoring, sameScoring } from '../priority/index.js'
import type { StorageSettings } from '../storage/index.js'

/** The settings from `bind`, or the defaults before it. */
export interface BoundSettings {
  readonly current: StorageSettings
  /** The current time of the bound clock. */
  readonly now: () => Instant
  /** `Storage.bind`. */
  readonly bind: (settings: StorageSettings) => void
}

const DEFAULTS: Omit<StorageSettings, 'newId'> = {
  scoring: defaultScoring,
  clock: systemClock,
  logLimit: 1_000,
  outputLimit: 100,
  logger: silentLogger,
}

/**
 * For storage adapters. `onScoring` is called when the first `bind` has another scoring than the default.
 * @example
 * ```ts
 * import { createStorageSettings } from '@taskboard/core/storage'
 *
 * const settings = createStorageSettings()
 * console.log(settings.current.logLimit, settings.now() <= Date.now()) // 1000 true
 * ```
 */
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
        throw new TaskboardError(
          'INVALID_CONFIG',
          'the storage is already bound to other weights or horizons',
          {
            field: 'priority',
          },
        )
      }
      if (bound) return
      bound = true
      current = settings
      if (!sameScore) onScoring()
    },
  }
}

import { systemClock, type Clock, type Instant } from './clock.js'
import { createNewId, type NewId } from './ids.js'
import { loggerOf, type Logger } from './logger.js'
import { systemRandom, type Random } from './random.js'

/** Everything that the library takes from outside besides storage and sockets. */
export interface Environment {
  readonly clock: Clock
  readonly random: Random
  readonly newId: NewId
  readonly logger: Logger
  /**
   * The `now` that goes with a storage verb: the host's clock when it gave one, and null when the storage shall use its
   * own, which is the only clock that many processes share.
   */
  storageNow(): Instant | null
}

export interface EnvironmentOptions {
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
  /** False for none. */
  readonly logger?: Logger | false | undefined
}

/** Fills in the process's own clock and randomness, and the console for warnings and errors, where the host gave none. */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  return {
    clock,
    random,
    newId: createNewId(clock, random),
    logger: loggerOf(options.logger),
    storageNow: options.clock ? () => clock.now() : () => null,
  }
}

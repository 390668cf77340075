import { systemClock, type Clock, type Instant } from './clock.js'
import { createNewId, type NewId } from './ids.js'
import { loggerOf, type Logger } from './logger.js'
import { createLoopRegistry, type LoopRegistry } from './loop-registry.js'
import { systemRandom, type Random } from './random.js'
import { telemetryOf, type Telemetry } from './telemetry.js'

/** All that the library needs from outside, except storage and sockets. */
export interface Environment {
  readonly clock: Clock
  readonly random: Random
  readonly newId: NewId
  readonly logger: Logger
  /** Null: there are no reports, and no object is created for them. */
  readonly telemetry: Telemetry | null
  readonly loops: LoopRegistry
  /**
   * The `now` for a storage verb: from the host's clock when it gave one. Null means the storage's own clock, which is the only clock
   * that several processes share.
   */
  storageNow(): Instant | null
  /** The context of a storage verb: `storageNow()`, within the host's transaction if there is one, and who causes it. */
  call<Tx = unknown>(options?: OnRecord<Tx>): CallContext<Tx>
}

export interface EnvironmentOptions {
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
  /** False for none. */
  readonly logger?: Logger | false | undefined
  readonly telemetry?: Telemetry | undefined
}

/** Defaults: the process's own clock and randomness, and the console for warnings and errors. */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  return {
    clock,
    random,
    newId: createNewId(clock, random),
    logger: loggerOf(options.logger),
    telemetry: telemetryOf(options.telemetry),
    loops: createLoopRegistry(),
    storageNow: options.clock ? () => clock.now() : () => null,
    call(given) {
      return { now: this.storageNow(), tx: given?.tx, by: given?.by }
    },
  }
}

/** The context of every storage verb. */
export interface CallContext<Tx = unknown> {
  /** The present for this call; null for the storage's own clock. */
  readonly now: Instant | null
  /** The host's open transaction, in which the verb runs. Absent: the verb has its own. */
  readonly tx?: Tx | undefined
  /** Who causes a change, for the audit. Absent: the host's own code. */
  readonly by?: AuditActor | undefined
}

/** Who causes a change, and from where. The audit keeps it. */
export interface AuditActor {
  /** `host`: the application's own code. `system`: Taskboard itself, for example for actions that are counted together. Default `host`. */
  readonly kind?: 'user' | 'api_key' | 'host' | 'system' | undefined
  /**
   * The id of the user or the key. For the host's code, the name that the host uses for the person who works there, for example in its back
   * office.
   */
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  /** Of Taskboard's login. */
  readonly sessionId?: string | null | undefined
  readonly clientAddress?: string | null | undefined
  readonly requestId?: string | null | undefined
}

/** An option of the host's calls. */
export interface InTransaction<Tx> {
  /** The host's open transaction. The call sees its writes, and the call's own writes are part of it. */
  readonly tx?: Tx | undefined
}

/** Options of calls that the audit records. */
export interface OnRecord<Tx> extends InTransaction<Tx> {
  /** Who causes the change. Default: the host's code, without a name. */
  readonly by?: AuditActor | undefined
}

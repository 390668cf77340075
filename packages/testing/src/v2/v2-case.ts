import type { Taskboard, TaskboardOptions } from '@taskboard/core'
import type { OpenedStorage } from '../storage/opened-storage.js'
import type { MountedHost, TransportHost } from '../transport/transport-case.js'
import type { V2Session } from './v2-session.js'

/** The subject of API v2's suite. */
export interface V2ConformanceOptions {
  /** A fresh, empty storage. */
  readonly open: () => Promise<OpenedStorage>
  /** Starts a host with the routes of `taskboard`, on 127.0.0.1 and a free port. */
  readonly mount: (taskboard: Taskboard, host: TransportHost) => Promise<MountedHost>
}

/** One requirement, as a plain function for any test runner: `run` rejects when it isn't met. */
export interface V2Case {
  /** Stable and unique: `tasks.create-defaults`. */
  readonly id: string
  readonly name: string
  readonly run: () => Promise<void>
}

/** A case before it is given a storage and a host. */
export interface V2Check {
  readonly id: string
  readonly name: string
  readonly check: (session: V2Session) => Promise<void>
  /** Further options of its task board. */
  readonly options?: Partial<TaskboardOptions> | undefined
}

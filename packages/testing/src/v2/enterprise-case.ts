import type { Taskboard, TaskboardOptions } from '@taskboard/core'
import type { OpenedStorage } from '../storage/opened-storage.js'
import type { MountedHost, TransportHost } from '../transport/transport-case.js'
import type { EnterpriseSession } from './enterprise-session.js'

/** The subject of the enterprise API's suite. */
export interface EnterpriseConformanceOptions {
  /** A fresh, empty storage. */
  readonly open: () => Promise<OpenedStorage>
  /** Starts a host with the routes of `taskboard`, on 127.0.0.1 and a free port. */
  readonly mount: (taskboard: Taskboard, host: TransportHost) => Promise<MountedHost>
}

/** One requirement, as a plain function for any test runner: `run` rejects when it is not met. */
export interface EnterpriseCase {
  /** Stable and unique: `tasks.create-defaults`. */
  readonly id: string
  readonly name: string
  readonly run: () => Promise<void>
}

/** A case before it is given a storage and a host. */
export interface EnterpriseCheck {
  readonly id: string
  readonly name: string
  readonly check: (session: EnterpriseSession) => Promise<void>
  /** Further options of its task board. */
  readonly options?: Partial<TaskboardOptions> | undefined
}

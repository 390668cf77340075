import type { Taskboard, TaskboardOptions } from '@taskboard/core'
import type { Sessions } from './sessions.js'

/** A web server of the host, with its login and the board. */
export interface Host {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Ends the board and the server. */
  close(): Promise<void>
}

export type Listen = (taskboard: Taskboard, sessions: Sessions, port: number) => Promise<Host>

/** A host whose framework keeps the sessions. */
export interface SessionHost {
  readonly authenticate: NonNullable<TaskboardOptions['authenticate']>
  listen(taskboard: Taskboard, port: number): Promise<Host>
}

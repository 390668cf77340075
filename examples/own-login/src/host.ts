import type { Taskboard } from '@taskboard/core'
import type { Sessions } from './sessions.js'

/** A web server of the host, with its login and the board. */
export interface Host {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Ends the server. Close the board first. */
  close(): Promise<void>
}

export type Listen = (taskboard: Taskboard, sessions: Sessions, port: number) => Promise<Host>

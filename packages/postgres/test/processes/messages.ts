/** The options of a board's process: all that the test passes at its start. */
export interface ProcessOptions {
  /** The URL of a server, or `pglite:` and a directory. */
  readonly databaseUrl: string
  /** Works tasks of `WORKER_TYPE`. Null for no agent. */
  readonly agent: {
    readonly concurrency: number
    readonly leaseMs: number
    /** Whether a run, once started, waits for `finish` from the test. */
    readonly waits: boolean
  } | null
  /** Whether agents, deliverer and sweeps run. */
  readonly isStarted: boolean
  /** The statement without an answer: the first whose name or text contains this. */
  readonly held: { readonly statement: string; readonly when: 'before' | 'after' } | null
  /** How far the process's clock is ahead; 0 uses the database's time. */
  readonly clockAheadMs: number
  /** How far the machine's clock is ahead, as the process sees it. The storage uses the database's time. */
  readonly dateAheadMs: number
  readonly pollIntervalMs: number
}

/** From the process to the test. */
export type Report =
  /** It serves the API at `url`. */
  | { readonly kind: 'ready'; readonly url: string }
  /** The held statement has been reached; it is done (`after`) or not begun (`before`), and has no answer. */
  | { readonly kind: 'held' }
  | { readonly kind: 'running'; readonly taskId: string; readonly fencingToken: number }
  /** The result of each late write: the code of its refusal, or null when it was accepted. */
  | { readonly kind: 'late writes'; readonly codes: Readonly<Record<string, string | null>> }

/** From the test to the process. */
export type Order =
  /** Ends the run that waits. */
  | { readonly kind: 'finish' }
  /** Ends the background work and the process. */
  | { readonly kind: 'close' }

export const WORKER_TYPE = 'worker'
/** Seals the secrets of webhooks in all processes of a test. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
/** The wait before a task whose lease has ended may be claimed again. */
export const BACKOFF = { baseMs: 50, factor: 1, maxMs: 50 }

/** What a board's process is to do: all that the test tells it at its start. */
export interface ProcessOptions {
  /** A server's, or `pglite:` and a directory. */
  readonly databaseUrl: string
  /** Works tasks of `WORKER_TYPE`. Null: no agent. */
  readonly agent: {
    readonly concurrency: number
    readonly leaseMs: number
    /** Whether a run waits, once it has begun, for the test to say `finish`. */
    readonly waits: boolean
  } | null
  /** Whether agents, deliverer and sweeps run. */
  readonly isStarted: boolean
  /** The statement that is never answered: the first whose name or text contains this. */
  readonly held: { readonly statement: string; readonly when: 'before' | 'after' } | null
  /** By how much the process's clock is ahead; 0 leaves the time to the database. */
  readonly clockAheadMs: number
  /** By how much the machine's clock is ahead, as the process sees it. The time is left to the database. */
  readonly dateAheadMs: number
  readonly pollIntervalMs: number
}

/** From the process to the test. */
export type Report =
  /** It serves the API at `url`. */
  | { readonly kind: 'ready'; readonly url: string }
  /** The held statement has come; it is done (`after`) or not begun (`before`), and nobody will hear of it. */
  | { readonly kind: 'held' }
  | { readonly kind: 'running'; readonly taskId: string; readonly fencingToken: number }
  /** What became of each late write: the code of its refusal, or null when it was accepted. */
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
/** How soon a task whose lease has ended may be taken again. */
export const BACKOFF = { baseMs: 50, factor: 1, maxMs: 50 }

import type { ApprovalInput, ModelPrices, UsageInput } from '@taskboard/core'

/** The options of a board's process: all that the test passes at its start. */
export interface ProcessOptions {
  /** The URL of a server, or `pglite:` and a directory. */
  readonly databaseUrl: string
  /** Works the tasks of agents of its types; see `Script`. Null for no agent. */
  readonly agent: {
    /** Default: `WORKER_TYPE`. */
    readonly types?: readonly string[]
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
  /** The server of the Bot API that it asks for updates; null for no bot. */
  readonly telegram: { readonly apiUrl: string; readonly token: string } | null
  /** Whether it logs nothing: for runs that fail on purpose. */
  readonly isQuiet: boolean
}

/** What each run of a task does, from the task's metadata, in this order. All of it is optional. */
export interface Script {
  /** What the first run reports, what the second one reports, and so on; the last entry is also for all further runs. */
  readonly usage?: readonly (readonly UsageInput[])[]
  /** How many runs fail then. */
  readonly failures?: number
  readonly approval?: ApprovalInput
  readonly workMs?: number
}

/** The script as a task carries it. */
export const scripted = (script: Script): { readonly metadata: { readonly script: string } } => ({
  metadata: { script: JSON.stringify(script) },
})

/** From the process to the test. */
export type Report =
  /** It serves the API at `url`. */
  | { readonly kind: 'ready'; readonly url: string }
  /** The held statement has been reached; it is done (`after`) or not begun (`before`), and has no answer. */
  | { readonly kind: 'held' }
  | { readonly kind: 'running'; readonly taskId: string; readonly fencingToken: number }
  /** The signal of a run has aborted with its report of usage. */
  | { readonly kind: 'aborted' }
  /** The result of each late write: the code of its refusal, or null when it was accepted. */
  | { readonly kind: 'late writes'; readonly codes: Readonly<Record<string, string | null>> }

/** From the test to the process. */
export type Order =
  /** Ends the run that waits. */
  | { readonly kind: 'finish' }
  /** Ends the background work and the process. */
  | { readonly kind: 'close' }

export const WORKER_TYPE = 'worker'
/** In dollars for a million tokens, in all processes of a test. */
export const PRICES: ModelPrices = {
  small: { inputUsd: 0.15, outputUsd: 0.6, cachedInputUsd: 0.075 },
  large: { inputUsd: 3, outputUsd: 15 },
}
/** Seals the secrets of webhooks in all processes of a test. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
/** The wait before a task whose lease has ended may be claimed again. */
export const BACKOFF = { baseMs: 50, factor: 1, maxMs: 50 }

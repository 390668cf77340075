import type { Observation } from './observations.js'

/** What a process is for. */
export type Role =
  /** Serves the API and the realtime channel. */
  | { readonly kind: 'api'; readonly framework: 'express' | 'fastify'; readonly port: number }
  /** Works the agents of a type in the process of the board. */
  | { readonly kind: 'agent'; readonly type: string }
  /** Works an agent over HTTP, with the client. */
  | { readonly kind: 'worker'; readonly baseUrl: string; readonly key: string; readonly agentId: string }
  /** Sends webhooks and hears events. */
  | { readonly kind: 'deliverer' }

export interface ProcessOptions {
  /** Unique for each start of a process. */
  readonly name: string
  readonly databaseUrl: string
  readonly role: Role
}

/** From a process to the controller. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'observed'; readonly observation: Observation }

/** From the controller to a process. */
export type Order =
  /** Ends the work and the process. */
  | { readonly kind: 'close' }
  /** Sets the machine's clock, as the process sees it. */
  | { readonly kind: 'jump'; readonly aheadMs: number }

/** What the runs of a task do, as its metadata carry it. */
export interface Script {
  readonly workMs: number
  /** How many attempts fail first. */
  readonly failures: number
  readonly logs: boolean
  readonly uses: boolean
  readonly asks: boolean
  readonly needsApproval: boolean
  /** Whether the run completes the task itself, before it returns the same result. */
  readonly completes: boolean
}

export const TOKENS_PER_REPORT = 100
export const HOUSE_TYPE = 'house'
/** More tasks than this at once is a limit granted twice. */
export const HOUSE_LIMIT = 4
/** Requests of one key in any minute. */
export const BOARD_PER_MINUTE = 60
export const RECEIVER_HOST = 'receiver.test'

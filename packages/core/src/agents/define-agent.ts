import type { Board, Task } from '../board/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Agent } from './agent.js'
import type { TaskContext } from './task-context.js'

/** What goes with a chat message. */
export interface ChatContext {
  /** Who writes, as the caller said; null when it did not. */
  readonly user: string | null
  /** The workspace's board, to look at and to change. */
  readonly board: Board
  /** Aborts when the reply comes too late. */
  readonly signal: AbortSignal
  /** The agent that is to answer, as stored. */
  readonly agent: Agent
}

/** What a host writes: the work of all agents of one type, in all workspaces. */
export interface AgentOptions {
  /** Which stored agents this works for: a slug of a-z, 0-9, `-` and `_`, at most 64 characters. */
  readonly type: string
  /** How many tasks run at once in this process: 1 to 100,000, default 1. */
  readonly concurrency?: number | undefined
  /** What the agent of a new workspace is called. Default: the type. */
  readonly name?: string | undefined
  /**
   * How long after its last sign of life an agent loses its task: 1 s to 24 h, default 60 s. Leases are renewed while the
   * process lives, however long a run takes.
   */
  readonly leaseMs?: number | undefined
  /**
   * Works one task. What it returns becomes the task's result (see `toResult`); what it throws fails the attempt, which is made
   * again after a backoff while attempts remain (`TaskFailure`: for good). Each run has a task that no other run has; a
   * run whose `signal` aborts has lost it, and its result is dropped.
   */
  run(task: Task, context: TaskContext): unknown
  /** Answers a chat message of a workspace that has an agent of this type. */
  chat?(message: string, context: ChatContext): string | Promise<string>
}

/** An agent as `createTaskboard` takes it: checked and complete. */
export interface AgentDefinition {
  readonly type: string
  readonly concurrency: number
  readonly name: string
  readonly leaseMs: number
  readonly run: (task: Task, context: TaskContext) => unknown
  readonly chat: ((message: string, context: ChatContext) => string | Promise<string>) | null
}

const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/
const MOST_CONCURRENCY = 100_000
const SHORTEST_LEASE_MS = 1_000
const LONGEST_LEASE_MS = 86_400_000
const LONGEST_NAME = 100

/**
 * Checks what a host says of an agent, and fills in what it leaves out.
 * @throws TaskboardError `INVALID_CONFIG` naming the field.
 */
export function defineAgent(options: AgentOptions): AgentDefinition {
  const { type, concurrency = 1, name = type, leaseMs = 60_000 } = options
  requireConfig(typeof type === 'string' && SLUG.test(type), 'type', 'must be a slug of a-z, 0-9, - and _')
  requireConfig(
    isWhole(concurrency, 1, MOST_CONCURRENCY),
    'concurrency',
    'must be a whole number from 1 to 100,000',
  )
  requireConfig(isName(name), 'name', 'must be text of 1 to 100 characters')
  requireConfig(
    isWhole(leaseMs, SHORTEST_LEASE_MS, LONGEST_LEASE_MS),
    'leaseMs',
    'must be from 1,000 to 86,400,000',
  )
  requireConfig(typeof options.run === 'function', 'run', 'must be a function')
  requireConfig(
    options.chat === undefined || typeof options.chat === 'function',
    'chat',
    'must be a function',
  )
  const run = options.run.bind(options)
  return { type, concurrency, name, leaseMs, run, chat: options.chat?.bind(options) ?? null }
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

function isName(value: unknown): boolean {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_NAME && value.isWellFormed()
  )
}

function requireConfig(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new TaskboardError('INVALID_CONFIG', `an agent's ${field} ${rule}`, { field })
}

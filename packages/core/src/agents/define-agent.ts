import type { Principal } from '../access/index.js'
import { typeRules, type Board, type Task } from '../board/index.js'
import { requireOptionNames, TaskboardError, textFault, type TextRules } from '../errors/index.js'
import { anyAgentType, type Agent } from './agent.js'
import type { UsageInput } from '../usage/index.js'
import type { TaskContext } from './task-context.js'

/** The circumstances of a chat message. */
export interface ChatContext {
  /** The author of the message, as the caller gave it; null without one. */
  readonly user: string | null
  /**
   * The workspace's board, to read and to change, with the scopes of the caller. Its methods throw `FORBIDDEN` for a missing scope, and
   * `QUOTA_EXCEEDED` beyond the quotas. Let both pass when you can't continue: the caller then gets them as the answer.
   */
  readonly board: Board
  /** Who asks; null for the host's code. */
  readonly caller: Principal | null
  /**
   * Reports what a language model has used for this message, which counts in the budgets of the agent and the workspace for the month.
   * Don't call the model again when it returns that one of them is spent.
   * @throws TaskboardError `INVALID_FIELD`.
   */
  usage(used: UsageInput): Promise<{ readonly spent: 'agent' | 'workspace' | null }>
  /** Aborts when a reply would come too late. */
  readonly signal: AbortSignal
  /** The agent that answers, as stored. */
  readonly agent: Agent
}

/** The code of a host for all agents of one type, in all workspaces. */
export interface AgentOptions {
  /**
   * Which stored agents this works for: those whose `type` is this text, of 1 to 64 code points. `'*'` stands for all agents whose
   * own type no runtime serves, in this process or another one on the same storage. To other processes, a runtime counts as gone
   * 90 s after its last report. The runtime for `'*'` takes its agents over within 30 s more.
   */
  readonly type: string
  /**
   * How many tasks run at the same time in this process: 1 to 100,000, default 1. A run that has lost its task doesn't count, even if its code
   * ignores the signal.
   */
  readonly concurrency?: number | undefined
  /** The name of a new workspace's agent. Default: the type, or `agent` for `'*'`. */
  readonly name?: string | undefined
  /**
   * The length of a lease: without a renewal for this long, an agent loses its task. 1 s to 24 h, default 60 s. A living process renews
   * its leases, however long a run takes.
   */
  readonly leaseMs?: number | undefined
  /**
   * Works on one task. Its return value becomes the task's result: text as it is, '' for undefined, JSON for anything else. An error that
   * it throws fails the attempt, and the task is retried after a backoff while attempts remain (`TaskFailure`: it isn't). No two runs have
   * the same task. When `signal` aborts, the run has lost its task, and its result is discarded.
   */
  run(task: Task, context: TaskContext): unknown
  /** Answers a chat message of a workspace with an agent of this type; for `'*'`, with one that no other runtime of this process serves. */
  chat?(message: string, context: ChatContext): string | Promise<string>
}

/** An agent for `createTaskboard`: validated and complete. */
export interface AgentDefinition {
  readonly type: string
  readonly concurrency: number
  readonly name: string
  readonly leaseMs: number
  readonly run: (task: Task, context: TaskContext) => unknown
  readonly chat: ((message: string, context: ChatContext) => string | Promise<string>) | null
}

const MOST_CONCURRENCY = 100_000
const SHORTEST_LEASE_MS = 1_000
const LONGEST_LEASE_MS = 86_400_000
const NAME: TextRules = { most: 100, isBlankAllowed: false }

/**
 * Checks a host's definition of an agent, and fills in the defaults.
 * @throws TaskboardError `INVALID_CONFIG` naming the field.
 * @example
 * ```ts
 * import { createTaskboard, defineAgent } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const writer = defineAgent({ type: 'writer', run: async (task) => `A text about ${task.title}` })
 * const taskboard = createTaskboard({ storage: memoryStorage(), agents: [writer] })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const completed = new Promise((resolve) => taskboard.events.once('task.completed', resolve))
 * taskboard.events.on('task.completed', ({ data }) => console.log(data.result)) // A text about rivers
 * await taskboard.start()
 * await taskboard.board(workspace.id).add({ title: 'rivers' })
 * await completed
 * await taskboard.close()
 * ```
 */
export function defineAgent(options: AgentOptions): AgentDefinition {
  requireOptionNames<AgentOptions>(options, {
    type: true,
    run: true,
    chat: true,
    concurrency: true,
    name: true,
    leaseMs: true,
  })
  const { concurrency = 1, leaseMs = 60_000 } = options
  const type = typeof options.type === 'string' ? options.type.trim() : options.type
  const { name = type === anyAgentType ? 'agent' : type } = options
  requireConfig(isText(type, typeRules), 'type', 'must be text of 1 to 64 characters')
  requireConfig(
    isWhole(concurrency, 1, MOST_CONCURRENCY),
    'concurrency',
    'must be a whole number from 1 to 100,000',
  )
  requireConfig(isText(name, NAME), 'name', 'must be text of 1 to 100 characters')
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

function isText(value: unknown, rules: TextRules): boolean {
  return typeof value === 'string' && textFault(value, rules) === null
}

function requireConfig(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new TaskboardError('INVALID_CONFIG', `an agent's ${field} ${rule}`, { field })
}

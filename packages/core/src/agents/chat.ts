import type { Principal } from '../access/index.js'
import { type Board, callersBoard, type ChatAgent } from '../board/index.js'
import type { Environment, Instant } from '../environment/index.js'
import { type ErrorCode, isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import type { Bounds, Quota } from '../limits/index.js'
import {
  requireModest,
  toUsageReport,
  usageInput,
  type ModelPrices,
  type UsageInput,
  type UsageStore,
} from '../usage/index.js'
import type { AgentStore } from './agent-store.js'
import { anyAgentType, type Agent } from './agent.js'
import type { AgentDefinition, ChatContext } from './define-agent.js'
import { storedText } from './stored-text.js'

export interface ChatOptions<Tx> {
  readonly environment: Environment
  readonly agents: Pick<AgentStore<Tx>, 'listAgents'>
  readonly runtimes: readonly AgentDefinition[]
  readonly usage: Pick<UsageStore<Tx>, 'enterUsage'>
  readonly prices: ModelPrices
  readonly bounds: Pick<Bounds, 'usdPerReport' | 'tokensPerReport'>
  /** What callers create counts in it. */
  readonly quota: Pick<Quota<Tx>, 'createTask' | 'createTasks' | 'createHeld'>
  /** How long an agent may take to reply. Default 30 s. */
  readonly timeoutMs?: number | undefined
  /** Ends the chats in progress and rejects new ones: the task board is closed. */
  readonly closed?: AbortSignal | undefined
}

const DEFAULT_TIMEOUT_MS = 30_000
const LONGEST_REPLY = 100_000
/** Its usage counts only when it is reported: so many chats can pass a spent budget by then. */
const MOST_AT_ONCE = 10
/** What the board refuses to the caller. */
const passedOn: readonly ErrorCode[] = ['FORBIDDEN', 'QUOTA_EXCEEDED']

/**
 * Answers chat messages by the oldest agent of the workspace whose runtime can chat. A reply is text, cut off after 100,000
 * characters.
 *
 * Throws `AGENT_UNAVAILABLE` when there is no such agent, when it throws, or when it is in ten chats of this process already. The same
 * error means that it doesn't reply in time or before the task board closes, or replies with something other than text. Only the log has
 * the cause. Throws `QUOTA_EXCEEDED` (`budget`) unasked when a budget of the month is spent, and passes on what the board refused to the
 * caller.
 */
export function createChat<Tx>(options: ChatOptions<Tx>): ChatAgent<Tx> {
  const { environment, agents, runtimes, timeoutMs = DEFAULT_TIMEOUT_MS, closed } = options
  const { clock, logger } = environment
  const chats = new Map(runtimes.map(({ type, chat }) => [type, chat]))
  const canChat = runtimes.some(({ chat }) => chat !== null)
  const takePlace = createPlaces()
  const chatOf = (type: string) => chats.get(chats.has(type) ? type : anyAgentType) ?? null

  /** The oldest first; none of a workspace that doesn't exist. */
  async function agentsOf(id: string): Promise<readonly Agent[]> {
    // A query without a workspace is for all of the board, and an id from JavaScript may be undefined.
    const workspaceId = (id as string | undefined) ?? ''
    try {
      return await agents.listAgents({ reach: null, workspaceId }, environment.call())
    } catch (error) {
      if (isTaskboardError(error) && error.code === 'NOT_FOUND') return []
      throw error
    }
  }

  /** @throws TaskboardError `QUOTA_EXCEEDED` (`budget`). */
  async function requireBudget({ id, workspaceId }: Agent): Promise<void> {
    const query = { reach: null, workspaceId, agentIds: [id], parts: ['work'] } as const
    const [found] = await agents.listAgents(query, environment.call())
    const until = found?.budgetSpentUntil ?? null
    if (until !== null) throw spent(until)
  }

  async function answer(
    board: Board<Tx>,
    agent: Agent,
    chat: NonNullable<AgentDefinition['chat']>,
    { message, user, caller, recheck }: Parameters<ChatAgent<Tx>>[1],
  ): Promise<string> {
    const abort = new AbortController()
    const context: ChatContext = {
      user,
      board: caller === null ? board : callersBoard(board, currentOf(caller, recheck), options.quota),
      caller,
      agent,
      signal: abort.signal,
      usage: (used) => report(options, agent, used),
    }
    const onClosed = (): void => abort.abort(new Error('the task board was closed'))
    closed?.addEventListener('abort', onClosed, { once: true })
    const timer = clock.setTimer(() => abort.abort(new Error('no reply in time')), timeoutMs)
    try {
      const reply: unknown = await firstOf(abort.signal, async () => chat(message, context))
      if (typeof reply !== 'string') throw new TypeError('the reply is not text')
      return storedText(reply, LONGEST_REPLY)
    } catch (error) {
      if (isTaskboardError(error) && passedOn.includes(error.code)) throw error
      logger.warn({ agentId: agent.id, err: error }, 'the agent did not answer a chat message')
      throw unavailable('the agent did not answer', error)
    } finally {
      timer.cancel()
      closed?.removeEventListener('abort', onClosed)
    }
  }

  return async (board, asked) => {
    const stored = canChat ? await agentsOf(board.workspaceId) : []
    const agent = stored.find(({ type }) => chatOf(type) !== null)
    const chat = agent && chatOf(agent.type)
    if (!chat) throw unavailable('no agent of this workspace can chat')
    const leave = takePlace(agent.id)
    try {
      await requireBudget(agent)
      if (closed?.aborted) throw unavailable('the task board is closed')
      return await answer(board, agent, chat, asked)
    } finally {
      leave()
    }
  }
}

async function report<Tx>(
  { environment, usage, prices, bounds }: ChatOptions<Tx>,
  { id: agentId, workspaceId }: Agent,
  input: UsageInput,
) {
  const used = parseInput(usageInput, input)
  requireModest(used, bounds)
  const reported = toUsageReport(used, prices)
  const entry = { workspaceId, agentId, report: reported, correction: null, idempotency: null }
  const { value } = await usage.enterUsage(entry, environment.call())
  environment.telemetry?.measure({ kind: 'usage', ...reported })
  const isAgentSpent = value.agent?.isSpent ?? false
  return { spent: isAgentSpent ? 'agent' : value.workspace.isSpent ? 'workspace' : null } as const
}

/** Takes a place of an agent's chats, and returns how to leave it. @throws TaskboardError `AGENT_UNAVAILABLE` without a free one. */
function createPlaces(): (agentId: string) => () => void {
  const taken = new Map<string, number>()

  function change(agentId: string, by: number): void {
    const places = (taken.get(agentId) ?? 0) + by
    if (places > 0) taken.set(agentId, places)
    else taken.delete(agentId)
  }

  return (agentId) => {
    if ((taken.get(agentId) ?? 0) >= MOST_AT_ONCE)
      throw unavailable('the agent answers too many messages at the moment')
    change(agentId, 1)
    return () => change(agentId, -1)
  }
}

function currentOf(caller: Principal, recheck: (() => Promise<Principal | null>) | undefined) {
  return async (): Promise<Principal> => {
    const now = recheck === undefined ? caller : await recheck()
    if (now !== null) return now
    throw new TaskboardError('FORBIDDEN', 'the caller of this chat may nothing here any more')
  }
}

/** Settles as `work`, or rejects with the signal's reason when that aborts first. */
async function firstOf<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([work(), aborted])
}

function spent(until: Instant): TaskboardError {
  const day = new Date(until).toISOString().slice(0, 10)
  const message = `the monthly budget of the agent or its workspace is spent, until ${day}`
  return new TaskboardError('QUOTA_EXCEEDED', message, { field: 'budget' })
}

function unavailable(message: string, cause?: unknown): TaskboardError {
  return new TaskboardError('AGENT_UNAVAILABLE', message, { cause })
}

import { TaskboardError, type Task, type TaskContext } from '@taskboard/core'

/** For whom a tool of the host is called. No text of a task or a prompt has a part in it. */
export interface ToolContext {
  readonly accountId: string
  readonly workspaceId: string
  readonly agentId: string
  readonly taskId: string
  /** Aborts when the attempt is over. */
  readonly signal: AbortSignal
}

const known = new WeakSet<object>()

export function createToolContext(
  { id: taskId, workspaceId }: Task,
  { accountId, agent, signal }: TaskContext,
): ToolContext {
  const context = Object.freeze({ accountId, workspaceId, agentId: agent.id, taskId, signal })
  known.add(context)
  return context
}

/** As options of a call: version 6 of the SDK has the first name, and version 7 the second one. */
export function contextOptions(context: ToolContext) {
  return { experimental_context: context, context }
}

/**
 * For whom a tool is called. Pass the second argument of `execute` or `needsApproval`. The AI SDK carries it as
 * `experimental_context` in version 6, and as `context` in version 7.
 * @throws TaskboardError `INVALID_CONFIG` when the call doesn't come from `aiAgent`.
 * @example
 * ```ts
 * import { toolContextOf } from '@taskboard/ai'
 * import { tool } from 'ai'
 * import { z } from 'zod'
 *
 * const customers = new Map([['acct_1', ['Ada']]])
 * const listCustomers = tool({
 *   description: 'List the customers',
 *   inputSchema: z.object({}),
 *   execute: (_input, options) => customers.get(toolContextOf(options).accountId) ?? [],
 * })
 * console.log(listCustomers.description) // List the customers
 * ```
 */
export function toolContextOf(options: object): ToolContext {
  const { experimental_context: older, context: newer } = options as {
    readonly experimental_context?: unknown
    readonly context?: unknown
  }
  for (const context of [newer, older]) {
    if (typeof context === 'object' && context !== null && known.has(context)) return context as ToolContext
  }
  throw new TaskboardError('INVALID_CONFIG', 'this call of a tool does not come from aiAgent', {
    field: 'options',
  })
}

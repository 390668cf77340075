import {
  createTaskboard,
  type Agent,
  type Logger,
  type TaskboardEvent,
  type TaskInput,
  type TaskboardOptions,
} from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { onTestFinished } from 'vitest'
import { aiAgent, type AiAgentOptions } from '../src/index.js'

export interface Logged {
  readonly message: string
  readonly fields: object
}

/** A running board with one stored agent, which was created over HTTP. */
export async function agentBoard(
  options: AiAgentOptions,
  profile: {
    readonly model?: string
    readonly system_prompt?: string
    readonly tools?: readonly string[]
  } = {},
  hostOptions: Partial<TaskboardOptions> = {},
) {
  const logged: Logged[] = []
  const say = (fields: object, message: string): void => void logged.push({ fields, message })
  const logger: Logger = { debug: say, info: say, warn: say, error: say, fatal: say }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    agents: [aiAgent({ maxRetries: 0, ...options })],
    createDefaultAgent: false,
    attempts: { backoff: { baseMs: 1, factor: 1, maxMs: 1 } },
    logger,
    ...hostOptions,
  })
  onTestFinished(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { account, workspace } = await taskboard.accounts.create({ name: 'Test', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'host',
    scopes: ['agents:write', 'tasks:write'],
  })
  const handle = toFetchHandler(taskboard)
  const answer = await handle(
    new Request('http://board.example/v2/agents', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', type: 'writer', ...profile }),
    }),
  )
  if (answer.status >= 300) throw new Error(await answer.text())
  const agent = (await answer.json()) as Pick<Agent, 'id'>
  const events: TaskboardEvent[] = []
  taskboard.events.on('*', (event) => events.push(event))
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const reach = { accountId: account.id, workspaceIds: 'all' } as const

  const nextEnd = (): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        for (const stop of stops) stop()
        resolve()
      }
      const stops = [taskboard.events.on('task.completed', end), taskboard.events.on('task.failed', end)]
    })

  return {
    taskboard,
    board,
    agent,
    events,
    logged,
    workspaceId: workspace.id,
    accountId: account.id,
    /** How the attempts at a task ended, and why. */
    attempts: async (taskId: string) =>
      (await taskboard.tasks.attempts(reach, taskId)).map(({ outcome, reason }) => [outcome, reason]),
    approvals: async () => (await taskboard.approvals.search(reach)).approvals,
    /** Adds a task, and resolves with it when it is done or waits for people. */
    async work(input: TaskInput) {
      const ended = nextEnd()
      const { id } = await board.add(input)
      await ended
      return board.get(id)
    },
    /** Resolves when a task next is completed or put on hold. */
    nextEnd,
  }
}

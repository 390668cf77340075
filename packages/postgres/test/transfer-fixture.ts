import { plainPasswordHasher } from '@taskboard/testing'
import {
  type Board,
  createTaskboard,
  isTaskboardError,
  type Task,
  type Taskboard,
  type TaskInput,
} from '@taskboard/core'
import { SUITE_CHANNEL_TYPE, suiteChannelType } from '@taskboard/kit/inside/testing'
import { type PgConnection, type PgPool, postgresStorage } from '../src/index.js'

/** A task board on the database, which is not started. */
export function boardOn(pool: PgPool): Taskboard<PgConnection> {
  return createTaskboard({
    storage: postgresStorage({ pool, listen: false }),
    logger: false,
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    passwordHasher: plainPasswordHasher,
    secrets: { encryptionKey: Buffer.alloc(32, 7) },
    notifications: [suiteChannelType],
    attempts: { backoff: { baseMs: 0, factor: 1, maxMs: 0 } },
  })
}

type Choose = (bound: number) => number

const texts = [
  'plain',
  'Ærø “first”\n\\u0001',
  '\u{1F600}\u2028"{}[],:',
  "'; drop table taskboard.task; --",
  '\\N \\. \t',
]

/** Fills accounts with what `choose` selects. Steps that the state refuses do nothing. */
export async function fillAtRandom(pool: PgPool, choose: Choose, steps: number): Promise<void> {
  const taskboard = boardOn(pool)
  for (let number = 0; number < 2; number += 1) await fillAccount(taskboard, choose, number, steps)
  await taskboard.close()
}

async function openAccount(taskboard: Taskboard<PgConnection>, choose: Choose, number: number) {
  const text = (): string => texts[choose(texts.length)] ?? ''
  const { account, workspace } = await taskboard.accounts.create({
    name: `Account ${text()}`.replaceAll(/[\n\t]/g, ' '),
    tier: choose(2) === 0 ? 'professional' : 'enterprise',
    owner: { email: `owner-${number}@acme.example`, password: 'correct horse battery' },
  })
  const { id: workspaceId } = workspace
  await taskboard.accounts.createWorkspace(account.id, { name: 'second' })
  await taskboard.accounts.createKey({ workspaceId, name: 'key', scopes: ['tasks:read'] })
  await taskboard.webhooks.register(workspaceId, { url: 'https://a.example/hook', events: ['task.created'] })
  await taskboard.channels.create(workspaceId, {
    type: SUITE_CHANNEL_TYPE,
    name: 'room',
    config: { room: 'one' },
    events: ['task.created'],
  })
  const { id: agentId } = await taskboard.agents.create(workspaceId, {
    name: 'Remote',
    type: 'remote',
    maxConcurrent: 50,
  })
  await taskboard.usage.setBudget({ workspaceId, agentId }, { tokens: 1 + choose(20_000), costUsd: null })
  const board = taskboard.board(workspaceId)
  await board.schedules.create({ cron: '0 9 * * *', task: { title: text() } })
  return { board, agentId }
}

async function fillAccount(
  taskboard: Taskboard<PgConnection>,
  choose: Choose,
  number: number,
  steps: number,
): Promise<void> {
  const { board, agentId } = await openAccount(taskboard, choose, number)
  const work = stepsOn(board, agentId, choose)
  for (let step = 0; step < steps; step += 1) {
    try {
      await work[step < 8 ? 0 : choose(work.length)]?.()
    } catch (error) {
      if (!isTaskboardError(error)) throw error
    }
  }
}

function randomTask(choose: Choose, ids: readonly string[]): TaskInput {
  const text = (): string => texts[choose(texts.length)] ?? ''
  const some = (): string => ids[choose(ids.length)] ?? ''
  return {
    title: text(),
    description: text(),
    tags: choose(2) === 0 ? [] : [text()],
    metadata: choose(2) === 0 ? {} : { [text()]: [text()] },
    priority: (['urgent', 'high', 'medium', 'low'] as const)[choose(4)],
    ...(choose(3) === 0 && { dueDate: Date.now() + choose(1_000_000_000) }),
    ...(ids.length > 0 && choose(3) === 0 && { dependsOn: [some()] }),
    ...(ids.length > 0 && choose(4) === 0 && { parentId: some() }),
  }
}

/** What people and agents do; the first one adds a task. */
function stepsOn(
  board: Board<PgConnection>,
  agentId: string,
  choose: Choose,
): readonly (() => Promise<unknown>)[] {
  const text = (): string => texts[choose(texts.length)] ?? ''
  const ids: string[] = []
  const some = (): string => ids[choose(ids.length)] ?? ''
  const held = new Map<string, number>()
  const one = (): { readonly id: string; readonly fencingToken: number } => {
    const [id = '', fencingToken = 0] = [...held][choose(Math.max(1, held.size))] ?? []
    return { id, fencingToken }
  }
  const take = (task: Task | null): void => {
    if (task?.lease != null) held.set(task.id, task.lease.fencingToken)
  }
  return [
    async () => {
      const { id } = await board.add(randomTask(choose, ids))
      ids.push(id)
    },
    async () => take(await board.claim({ agentId, leaseMs: 3_600_000 })),
    () => {
      const { id, fencingToken } = one()
      return board.log(id, { fencingToken, message: text(), level: 'warn' })
    },
    () => {
      const { id, fencingToken } = one()
      return board.output(id, { fencingToken, type: 'file', name: text(), url: 'https://a.example/1' })
    },
    () => {
      const { id, fencingToken } = one()
      return board.usage(id, {
        fencingToken,
        model: text(),
        inputTokens: choose(9_000),
        outputTokens: choose(9),
        costUsd: choose(100) / 7,
      })
    },
    () => {
      const { id, fencingToken } = one()
      return board.progress(id, { fencingToken, progress: choose(101) })
    },
    () => {
      const { id, fencingToken } = one()
      held.delete(id)
      return board.complete(id, { fencingToken, result: text() })
    },
    () => {
      const { id, fencingToken } = one()
      held.delete(id)
      return board.fail(id, { fencingToken, reason: text(), retry: choose(2) === 0 })
    },
    () => {
      const { id, fencingToken } = one()
      held.delete(id)
      return board.ask(id, { fencingToken, question: text() })
    },
    async () => {
      const { id, fencingToken } = one()
      held.delete(id)
      const { approval } = await board.requestApproval(id, {
        fencingToken,
        action: 'pay',
        summary: text(),
        input: { sum: 1e21 },
      })
      if (choose(2) === 0) await board.decide(approval.id, { decision: 'approved', comment: text() })
    },
    () => board.comment(some(), { body: text() }),
    () => board.answer(some(), { body: text() }),
    () => board.move(some(), (['TODO', 'DOING', 'DONE'] as const)[choose(3)] ?? 'TODO'),
    () => board.cancel(some()),
    () => board.update(some(), { title: text() }),
    () => (choose(4) === 0 ? board.delete(some()) : board.release(some())),
  ]
}

/** What hosts see of all tasks. */
export async function readTasks(pool: PgPool): Promise<readonly unknown[]> {
  const { rows } = await pool.query({
    text: 'select id, workspace_id from taskboard.task order by id',
    values: [],
  })
  const taskboard = boardOn(pool)
  const seen = []
  for (const { id, workspace_id: workspaceId } of rows as { id: string; workspace_id: string }[]) {
    const board = taskboard.board(workspaceId)
    seen.push([await board.get(id), await board.logs(id), await board.outputs(id), await board.comments(id)])
  }
  await taskboard.close()
  return seen
}

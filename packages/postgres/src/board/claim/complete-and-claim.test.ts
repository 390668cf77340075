import { createTaskboard, type Board, type Storage, type Task, type Taskboard } from '@taskboard/core'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection, PgPool, PgQuery } from '../../connection/pool.js'
import { postgresStorage } from '../../postgres-storage.js'
import type { ClaimRow } from './claim-sql.js'

const LEASE_MS = 60_000
const FOR_AGENT = 'complete_and_claim_for_agent'
const BY_TYPE = 'complete_and_claim_by_type'

let database: TestDatabase
let storage: Storage<PgConnection>
let taskboard: Taskboard<PgConnection>
let board: Board<PgConnection>
/** The statements that completed and claimed, and what each returned. */
let sent: { readonly verb: string; readonly row: ClaimRow }[]

function watched(pool: PgPool): PgPool {
  const watch = (run: PgPool['query']) => async (query: PgQuery) => {
    const result = await run(query)
    const [, verb = ''] = /^taskboard_(complete_and_claim_.*)_[0-9a-f]{8}$/.exec(query.name ?? '') ?? []
    if (verb !== '') sent.push({ verb, row: result.rows[0] as ClaimRow })
    return result
  }
  return {
    query: watch((query) => pool.query(query)),
    async connect() {
      const client = await pool.connect()
      return {
        query: watch((query) => client.query(query)),
        release: (broken) => client.release(broken),
      }
    },
  }
}

beforeEach(async () => {
  database = await createMigratedDatabase()
  sent = []
  storage = postgresStorage({ pool: watched(database.pool), listen: false })
  const secrets = { encryptionKey: Buffer.alloc(32) }
  taskboard = createTaskboard({ storage, secrets, logger: false })
  board = await boardWithAgent()
})
afterEach(async () => {
  await taskboard.close()
  await database.drop()
})

async function boardWithAgent(): Promise<Board<PgConnection>> {
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.agents.create(workspace.id, { name: 'One', type: 'bot' })
  return taskboard.board(workspace.id)
}

async function claim(): Promise<Task> {
  const [task] = (
    await storage.tasks.claimTasks(
      { target: { agentType: 'bot', leaseMs: LEASE_MS }, limit: 1 },
      { now: null },
    )
  ).tasks
  if (task === undefined) throw new Error('nothing was claimed')
  return task
}

async function complete({ workspaceId, id: taskId, fencingToken }: Task, by = storage) {
  const proof = { workspaceId, taskId, fencingToken }
  const next = { agentType: 'bot', leaseMs: LEASE_MS }
  const completion = await by.tasks.completeTask({ proof, result: 'done', next }, { now: null })
  return { task: completion.task, next: completion.next?.tasks ?? [] }
}

describe('a completed task', () => {
  const wasSent = (): boolean => sent.at(-1)?.row.completed?.[0]?.[2] !== null

  it('is not sent by the database when only the completion has changed it since it was claimed', async () => {
    await board.add({ title: 'One', tags: ['a', 'b'], metadata: { depth: ['1', '2'] } })
    const { task } = await complete(await claim())
    expect(wasSent()).toBe(false)
    expect(task).toEqual(await board.get(task.id))
  })

  it.each<readonly [string, (task: Task) => Promise<unknown>, Partial<Task>]>([
    [
      'progress',
      ({ id, fencingToken }) => board.progress(id, { fencingToken, progress: 40 }),
      { progress: 100 },
    ],
    ['a comment', ({ id }) => board.comment(id, { body: 'Good.' }), { hasComments: true }],
    ['an edit', ({ id }) => board.update(id, { title: 'Another' }), { title: 'Another' }],
  ])('is sent after %s', async (_, change, expected) => {
    await board.add({ title: 'One' })
    const claimed = await claim()
    await change(claimed)
    const { task } = await complete(claimed)
    expect(wasSent()).toBe(true)
    expect(task).toMatchObject(expected)
    expect(task).toEqual(await board.get(task.id))
  })

  it('is sent to a process that has not claimed it', async () => {
    await board.add({ title: 'One' })
    const claimed = await claim()
    const other = postgresStorage({ pool: watched(database.pool), listen: false })
    const { task } = await complete(claimed, other)
    expect(wasSent()).toBe(true)
    expect(task).toEqual(await board.get(task.id))
    await other.close()
  })
})

describe('a claim by type', () => {
  /** How often each statement was sent for ten tasks, one after the other. */
  async function sentForTen(): Promise<Record<string, number>> {
    for (let n = 0; n < 11; n++) await board.add({ title: `Task ${n}` })
    let task = await claim()
    sent = []
    for (let n = 0; n < 10; n++) task = (await complete(task)).next[0] ?? task
    const counts: Record<string, number> = {}
    for (const { verb } of sent) counts[verb] = (counts[verb] ?? 0) + 1
    return counts
  }

  it('is one for an agent while that is the only one of the type', async () => {
    expect(await sentForTen()).toEqual({ [FOR_AGENT]: 10 })
  })

  it('is one for a bounded agent with a budget, too', async () => {
    const [{ id } = { id: '' }] = await taskboard.agents.list(board.workspaceId)
    await taskboard.agents.update(board.workspaceId, id, { maxConcurrent: 1 })
    await taskboard.usage.setBudget({ workspaceId: board.workspaceId, agentId: id }, { tokens: 1_000_000 })
    expect(await sentForTen()).toEqual({ [FOR_AGENT]: 10 })
  })

  it('notices another agent of the type, and does not guess again each time', async () => {
    await board.add({ title: 'One' })
    await complete(await claim())
    await taskboard.agents.create(board.workspaceId, { name: 'Two', type: 'bot' })
    expect(await sentForTen()).toEqual({ [FOR_AGENT]: 1, [BY_TYPE]: 10 })
    expect(await sentForTen()).toEqual({ [BY_TYPE]: 10 })
  })

  it('notices an agent of the type in another workspace, which takes its turn', async () => {
    await board.add({ title: 'One' })
    await complete(await claim())
    const other = await boardWithAgent()
    await board.add({ title: 'Two' })
    const two = await claim()
    await board.add({ title: 'Three' })
    const theirs = await other.add({ title: 'Theirs' })
    expect((await complete(two)).next.map(({ id }) => id)).toEqual([theirs.id])
  })

  it('guesses again after a hundred claims, when the other agent is gone', async () => {
    const { id } = await taskboard.agents.create(board.workspaceId, { name: 'Two', type: 'bot' })
    await board.add({ title: 'One' })
    await complete(await claim())
    await taskboard.agents.delete(board.workspaceId, id)
    for (let round = 0; round < 10; round++) await sentForTen()
    expect(await sentForTen()).toEqual({ [FOR_AGENT]: 10 })
  })
})

describe('a task that changes while the statement waits, after it has seen the queue', () => {
  let other: pg.Client
  beforeEach(async () => {
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
  })
  afterEach(() => other.end())

  const waiting = () =>
    until(
      async () => {
        const { rows } = await other.query<{ n: number }>(`select count(*)::int4 as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
        return rows[0]?.n ?? 0
      },
      (n) => n > 0,
    )

  describe.each([1, 2])('of a type with %i agents', (agents) => {
    it.each<readonly [string, (taskId: string) => Promise<unknown>]>([
      ['is held back', (id) => board.hold(id, { reason: 'needs_input' })],
      [
        'is given to an agent of another type',
        async (id) => {
          const { id: assignedTo } = await taskboard.agents.create(board.workspaceId, {
            name: 'Other',
            type: 'other',
          })
          return board.update(id, { assignedTo })
        },
      ],
    ])('is not claimed when it %s', async (_, change) => {
      if (agents === 2) await taskboard.agents.create(board.workspaceId, { name: 'Two', type: 'bot' })
      await board.add({ title: 'Done' })
      const claimed = await claim()
      const best = await board.add({ title: 'Best', priority: 'urgent' })
      const free = await board.add({ title: 'Free' })
      await other.query('begin')
      await other.query('select from taskboard.task where id = $1 for update', [claimed.id])
      const completion = complete(claimed)
      await waiting()
      await change(best.id)
      await other.query('rollback')
      const { next } = await completion
      expect(next.map(({ id }) => id)).toEqual([free.id])
      expect(sent.at(-1)?.verb).toBe(agents === 1 ? FOR_AGENT : BY_TYPE)
    })
  })
})

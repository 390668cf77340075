import assert from 'node:assert/strict'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

interface Figures {
  readonly period: object
  readonly metrics: Readonly<Record<string, number>>
  readonly daily_breakdown: readonly Readonly<Record<string, unknown>>[]
}

async function analytics({ send }: V2Session, query = ''): Promise<Figures> {
  return assertAnswer(await send('GET', `/v2/analytics/tasks${query}`)) as unknown as Figures
}

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** Analytics through API v2. The board's clock begins at the start of a day. */
export const analyticsCases: readonly V2Check[] = [
  {
    id: 'analytics.empty',
    name: 'without a period the last thirty days are returned, each with its figures',
    async check(session) {
      const today = session.clock.now()
      const { period, metrics, daily_breakdown: days } = await analytics(session)
      const [from, to] = [dateOf(today - 29 * 86_400_000), dateOf(today)]
      assert.deepEqual(period, { from: `${from}T00:00:00.000Z`, to: `${to}T23:59:59.999Z` })
      assert.deepEqual(metrics, {
        total_tasks: 0,
        completed_tasks: 0,
        success_rate: 0,
        avg_completion_time: 0,
        time_saved_hours: 0,
      })
      assert.deepEqual([days.length, days[0]?.['date'], days[29]?.['date']], [30, from, to])
      assert.deepEqual(days[0], { date: from, tasks_completed: 0, avg_completion_time: 0, time_saved: 0 })
    },
  },
  {
    id: 'analytics.figures',
    name: 'completed tasks are compared with the time that a person would have taken, by type',
    options: { analytics: { baselineMinutes: { byType: { report: 120 } } } },
    async check(session) {
      const { taskboard, clock, workspaceId, send } = session
      const board = taskboard.board(workspaceId)
      const today = dateOf(clock.now())
      for (const [type, minutes] of [
        ['report', 30],
        [null, 10],
      ] as const) {
        const task = await board.add({ title: 'a task', type })
        await board.move(task.id, 'DOING')
        await clock.advance({ minutes })
        await board.move(task.id, 'DONE')
      }
      await board.hold((await board.add({ title: 'failed' })).id, { reason: 'failed' })
      const read = async () => analytics(session, `?from=${today}&to=${today}`)
      const { metrics, daily_breakdown: days } = await read()
      assert.deepEqual(metrics, {
        total_tasks: 3,
        completed_tasks: 2,
        success_rate: 0.6667,
        avg_completion_time: 1_200,
        time_saved_hours: 1.8333,
      })
      assert.deepEqual(days, [
        { date: today, tasks_completed: 2, avg_completion_time: 1_200, time_saved: 1.8333 },
      ])
      await session.storage.analytics.rollUp({ limit: 1_000 }, { now: null })
      const [done] = (await board.list('DONE')).tasks
      assertAnswer(await send('DELETE', `/v2/tasks/${String(done?.id)}`), 204)
      assert.deepEqual((await read()).metrics, metrics)
    },
  },
  {
    id: 'analytics.never-negative',
    name: 'work that took longer than a person saves nothing',
    async check(session) {
      const { taskboard, clock, workspaceId } = session
      const board = taskboard.board(workspaceId)
      const task = await board.add({ title: 'slow' })
      await board.move(task.id, 'DOING')
      await clock.advance({ hours: 3 })
      await board.move(task.id, 'DONE')
      const { metrics, daily_breakdown: days } = await analytics(session)
      assert.deepEqual([metrics['avg_completion_time'], metrics['time_saved_hours']], [10_800, 0])
      assert.ok(days.every((day) => day['time_saved'] === 0))
    },
  },
  {
    id: 'analytics.groups',
    name: 'weeks begin on Monday and months on their first day, also before the period',
    async check(session) {
      const dates = async (query: string) =>
        (await analytics(session, query)).daily_breakdown.map(({ date }) => date)
      const period = '?from=2024-02-28&to=2024-03-05'
      assert.deepEqual(await dates(`${period}&group_by=week`), ['2024-02-26', '2024-03-04'])
      assert.deepEqual(await dates(`${period}&group_by=month`), ['2024-02-01', '2024-03-01'])
      assert.deepEqual((await dates(`${period}&group_by=day`)).slice(0, 3), [
        '2024-02-28',
        '2024-02-29',
        '2024-03-01',
      ])
    },
  },
  {
    id: 'analytics.workspaces',
    name: 'figures are of all workspaces within reach, or of one',
    async check(session) {
      const { taskboard, accountId, workspaceId, stranger, send } = session
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      await taskboard.board(workspaceId).add({ title: 'one' })
      await taskboard.board(second.id).add({ title: 'two' })
      await taskboard.board(stranger.workspaceId).add({ title: 'theirs' })
      const total = async (query: string) => (await analytics(session, query)).metrics['total_tasks']
      assert.deepEqual([await total(''), await total(`?workspace_id=${second.id}`)], [2, 1])
      const bound = await session.makeKey(['analytics:read'], second.id)
      const seen = assertAnswer(await send('GET', '/v2/analytics/tasks', { as: bound.key }))
      assert.equal((seen as unknown as Figures).metrics['total_tasks'], 1)
      for (const id of [stranger.workspaceId, 'ws_00000000000000000000000000']) {
        const refused = await send('GET', `/v2/analytics/tasks?workspace_id=${id}`)
        assertError(refused, 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
      }
    },
  },
  {
    id: 'analytics.faults',
    name: 'an invalid period is refused by its field',
    async check({ send }) {
      for (const [query, field] of [
        ['from=2026-02-30', 'from'],
        ['from=yesterday', 'from'],
        ['to=2026-1-1', 'to'],
        ['to=2026-01-01T00:00:00Z', 'to'],
        ['from=2026-01-02&to=2026-01-01', 'from'],
        ['from=2024-01-01&to=2025-02-04', 'from'],
        ['group_by=year', 'group_by'],
        ['workspace_id=', 'workspace_id'],
      ] as const) {
        assertError(await send('GET', `/v2/analytics/tasks?${query}`), 400, 'INVALID_REQUEST', field)
      }
      assertAnswer(await send('GET', '/v2/analytics/tasks?from=2024-01-01&to=2025-02-03'))
    },
  },
]

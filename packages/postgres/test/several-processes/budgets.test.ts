import type { Task, UsageInput } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess, type BoardProcess } from '../processes/board-processes.js'
import { scripted } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const TASKS = Number(process.env['SPENDING_TASKS'] ?? 30)
const PROCESSES = 3
/** For machines with much else to do. */
const LONG_MS = 60_000
const DAY_MS = 86_400_000

let board: SharedBoard
let processes: readonly BoardProcess[]
beforeEach(async () => {
  board = await createSharedBoard(PROCESSES)
  const agent = { concurrency: 2, leaseMs: 60_000, waits: false }
  processes = Array.from({ length: PROCESSES }, () =>
    startProcess({ databaseUrl: board.database.url, agent, isStarted: true, isQuiet: true }),
  )
})
afterEach(async () => {
  await endProcesses()
  await board.taskboard.close()
  await board.database.drop()
})

/** By `PRICES`, in thousandths of a millionth for a token. */
const thousandths = {
  small: { input: 150, output: 600, cached: 75 },
  large: { input: 3_000, output: 15_000, cached: 3_000 },
} as const

interface ScriptedReport {
  readonly used: UsageInput
  readonly tokens: number
  readonly micros: number
}

/** A report, with what it must count for, worked out in whole numbers. */
function reportNumber(n: number): ScriptedReport {
  const model = n % 2 === 0 ? 'small' : 'large'
  const inputTokens = 1_000 + ((n * 37) % 977)
  const outputTokens = (n * 101) % 613
  const cachedInputTokens = n % 3 === 0 ? (n * 13) % 1_000 : 0
  const tokens = inputTokens + outputTokens
  const used = { model, inputTokens, outputTokens, cachedInputTokens }
  const price = thousandths[model]
  const cost =
    (inputTokens - cachedInputTokens) * price.input +
    cachedInputTokens * price.cached +
    outputTokens * price.output
  const priced = Math.floor((cost + 500) / 1_000)
  if (n % 5 !== 0) return { used, tokens, micros: priced }
  const given = (n * 7_919) % 1_000_003
  return { used: { ...used, costUsd: given / 1_000_000 }, tokens, micros: Math.max(given, priced) }
}

const reportsOf = (task: number, attempt: number): readonly ScriptedReport[] =>
  Array.from({ length: 1 + ((task + attempt) % 3) }, (_, n) => reportNumber(task * 9 + attempt * 3 + n))

const sumOf = (reports: readonly ScriptedReport[]) => ({
  tokens: reports.reduce((sum, { tokens }) => sum + tokens, 0),
  micros: reports.reduce((sum, { micros }) => sum + micros, 0),
})

interface Sum {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number
}

const seen = (sums: readonly Sum[]) => ({
  tokens: sums.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
  micros: sums.reduce((sum, { costMicros }) => sum + costMicros, 0),
})

const isAllDone = () =>
  until(
    () => board.rows(`select from taskboard.task where column_name <> 'DONE' limit 1`),
    (left) => left.length === 0,
    LONG_MS,
  )

describe('what runs in several processes report', { timeout: LONG_MS }, () => {
  it('sums up to the millionth of a dollar, by attempt, task, model and month, through retries', async () => {
    const { taskboard, workspaceId, accountId, database, rows } = board
    // How many runs of a task fail before the last one.
    const failuresOf = (task: number) => task % 3
    const scripts = Array.from({ length: TASKS }, (_, task) =>
      Array.from({ length: failuresOf(task) + 1 }, (_each, attempt) => reportsOf(task, attempt)),
    )
    const inputs = scripts.map((attempts, n) => ({
      title: `${n}`,
      ...scripted({
        usage: attempts.map((reports) => reports.map(({ used }) => used)),
        failures: failuresOf(n),
      }),
    }))
    const added: Task[] = []
    for (let at = 0; at < inputs.length; at += 500)
      added.push(...(await taskboard.board(workspaceId).addAll(inputs.slice(at, at + 500))))
    await isAllDone()
    await Promise.all(processes.map((process) => process.close()))

    for (const [n, { id }] of added.entries()) {
      const attempts = scripts[n] ?? []
      const sums = await taskboard.usage.ofTask(workspaceId, id, 'attempt')
      expect(sums.map(({ key }) => Number(key)).toSorted((a, b) => a - b)).toEqual(
        attempts.map((_, attempt) => attempt + 1),
      )
      for (const sum of sums) expect(seen([sum])).toEqual(sumOf(attempts[Number(sum.key) - 1] ?? []))
    }
    const all = scripts.flat(2)
    const now = Date.now()
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const reach = { accountId, workspaceIds: 'all' } as const
    const days = { from: day(now - DAY_MS), to: day(now + DAY_MS) }
    const byModel = (await taskboard.usage.sum(reach, { ...days, groupBy: 'model' })).sums
    for (const model of ['small', 'large']) {
      const expected = sumOf(all.filter(({ used }) => used.model === model))
      expect(seen(byModel.filter(({ key }) => key === model))).toEqual(expected)
    }
    const byAgent = (await taskboard.usage.sum(reach, { ...days, groupBy: 'agent' })).sums
    expect(seen(byAgent)).toEqual(sumOf(all))
    expect(byAgent.length).toBeGreaterThan(1)
    expect(
      await rows(`select agent_id = '' as "isWorkspace", sum(tokens)::float8 as tokens,
        sum(cost_micros)::float8 as micros from taskboard.usage_month group by 1 order by 1`),
    ).toEqual([
      { isWorkspace: false, ...sumOf(all) },
      { isWorkspace: true, ...sumOf(all) },
    ])
    expect(
      await rows(
        `select outcome, count(*)::int4 as n from taskboard.attempt group by outcome order by outcome`,
      ),
    ).toEqual([
      { outcome: 'completed', n: TASKS },
      { outcome: 'retried', n: scripts.flat().length - TASKS },
    ])
    expect(await violations(database.pool, { acknowledged: [], received: new Map() })).toEqual([])
  })

  it('aborts runs that pass their budget and holds their tasks, which go on after a raise and a release', async () => {
    const { taskboard, workspaceId, rows } = board
    const tasks = taskboard.board(workspaceId)
    const report = { model: 'large', inputTokens: 1, outputTokens: 0, costUsd: 0.000_01 }
    const usage = [Array.from({ length: 10 }, () => report)]
    const added = await tasks.addAll(
      Array.from({ length: 6 }, (_, n) => ({
        title: `${n}`,
        budget: n % 2 === 0 ? { costUsd: 0.000_035 } : { tokens: 4 },
        maxAttempts: 1,
        ...scripted({ usage }),
      })),
    )
    await until(
      () => rows(`select from taskboard.task where hold_reason = 'budget'`),
      (held) => held.length === added.length,
    )
    expect(processes.some((process) => process.has('aborted'))).toBe(true)
    for (const { id } of added) {
      expect(await tasks.get(id)).toMatchObject({ column: 'TODO', lease: null })
      // The fourth report is the one that passes it.
      expect(seen(await taskboard.usage.ofTask(workspaceId, id, 'attempt'))).toEqual({
        tokens: 4,
        micros: 40,
      })
      await tasks.update(id, { budget: { costUsd: 1, tokens: 1_000 } })
      await tasks.release(id)
    }
    await isAllDone()
    for (const { id } of added) {
      const micros = { tokens: 14, micros: 140 }
      expect(seen(await taskboard.usage.ofTask(workspaceId, id, 'attempt'))).toEqual(micros)
    }
    expect(
      await rows(
        `select outcome, count(*)::int4 as n from taskboard.attempt group by outcome order by outcome`,
      ),
    ).toEqual([
      { outcome: 'completed', n: added.length },
      { outcome: 'held', n: added.length },
    ])
    expect(
      await rows(`select type, data ->> 'reason' as reason, count(*)::int4 as n from taskboard.event
        where type in ('task.failed', 'task.released') group by 1, 2 order by 1`),
    ).toEqual([
      { type: 'task.failed', reason: 'budget', n: added.length },
      { type: 'task.released', reason: 'budget', n: added.length },
    ])
    await Promise.all(processes.map((process) => process.close()))
  })
})

import { virtualClock } from '@taskboard/testing'
import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { agentBoard } from '../test/agent-board.js'
import { scriptedModel } from '../test/scripted-model.js'

const HOUR = 3_600_000
const BACKOFF = { baseMs: 10_000, factor: 2, maxMs: 600_000 }

const failed = (statusCode: number | undefined, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'too much',
    url: 'https://model.example',
    requestBodyValues: { prompt: 'secret words' },
    responseHeaders,
    isRetryable: true,
    ...(statusCode === undefined ? {} : { statusCode }),
  })

async function outage(answers: readonly (string | Error)[]) {
  const clock = virtualClock()
  const { model, calls } = scriptedModel(answers)
  const host = await agentBoard({ model: () => model }, {}, { clock, attempts: { backoff: BACKOFF } })
  return { ...host, clock, calls }
}

describe('a provider that is down', () => {
  it.each([429, 500, 503, 529, undefined])('(%s) costs the task no attempt', async (status) => {
    const { board, clock, calls, attempts } = await outage([failed(status), failed(status), 'done'])
    const task = await board.add({ title: 'x' })
    await clock.settle()
    expect(await board.get(task.id)).toMatchObject({
      column: 'TODO',
      attempts: 0,
      hold: null,
      notBefore: clock.now() + 10_000,
    })
    await clock.advance(10_000)
    expect((await board.get(task.id)).notBefore).toBe(clock.now() + 20_000)
    await clock.advance(20_000)
    expect(await board.get(task.id)).toMatchObject({ column: 'DONE', attempts: 1 })
    expect(calls).toHaveLength(3)
    expect((await attempts(task.id)).map(([outcome]) => outcome)).toEqual([
      'postponed',
      'postponed',
      'completed',
    ])
  })

  it.each([
    [{ 'retry-after': '1800' }, 1_800_000],
    [
      {
        'retry-after': 'Wed, 21 Oct 2026 07:30:00 GMT',
        date: 'Wed, 21 Oct 2026 07:28:00 GMT',
      },
      120_000,
    ],
    [{ 'retry-after': '31536000' }, HOUR],
    [{ 'retry-after': '-5' }, 10_000],
    [{ 'retry-after': '0' }, 1_000],
  ])('%j is asked again after %d ms', async (headers, waitMs) => {
    const { board, clock, calls } = await outage([failed(429, headers), 'done'])
    const task = await board.add({ title: 'x' })
    await clock.advance(waitMs - 1)
    expect(calls).toHaveLength(1)
    await clock.advance(1)
    expect(await board.get(task.id)).toMatchObject({ column: 'DONE', attempts: 1 })
  })

  it('is not asked for each task of the queue, and none of them goes on hold', async () => {
    const { board, clock, calls } = await outage([
      ...Array.from({ length: 8 }, () => failed(503)),
      ...Array.from({ length: 30 }, () => 'done'),
    ])
    const tasks = await Promise.all(Array.from({ length: 30 }, (_, n) => board.add({ title: `${n}` })))
    await clock.advance({ minutes: 20 })
    expect(calls.length).toBeLessThanOrEqual(8)
    await clock.advance({ minutes: 20 })
    for (const { id } of tasks) expect(await board.get(id)).toMatchObject({ column: 'DONE', attempts: 1 })
    expect(calls).toHaveLength(38)
  })
})

import { describe, expect, it } from 'vitest'
import { createReports } from './reports.js'

/** Reports that are sent when the test lets them. */
function held() {
  const sent: number[] = []
  const waiting: (() => void)[] = []
  const abort = new AbortController()
  const faults: unknown[] = []
  const reports = createReports<number>({
    send: async (report) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      sent.push(report)
      if (report < 0) throw new Error('refused')
    },
    replaces: (later, earlier) => later % 10 === 0 && earlier % 10 === 0,
    onFault: (error) => faults.push(error),
    signal: abort.signal,
  })
  return {
    sent,
    faults,
    reports,
    abort,
    async release() {
      const state = { isSent: false }
      const all = reports.sent().then(() => (state.isSent = true))
      while (!state.isSent) {
        waiting.shift()?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await all
    },
  }
}

describe('reports', () => {
  it('are sent in order, and only the last of those that replace each other', async () => {
    const { reports, sent, faults, release } = held()
    for (const report of [1, 10, 20, 30, 2, -3, 40, 50]) void reports.add(report)
    await release()
    expect(sent).toEqual([1, 30, 2, -3, 50])
    expect(faults).toHaveLength(1)
    void reports.add(7)
    await release()
    expect(sent.at(-1)).toBe(7)
  })

  it('make the program wait when many of them wait', async () => {
    const { reports, sent, release } = held()
    const count = { taken: 0 }
    const adding = (async () => {
      for (let report = 1; report <= 999; report += 2) {
        await reports.add(report)
        count.taken += 1
      }
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(count.taken).toBeLessThan(110)
    while (count.taken < 500) await release()
    await adding
    await release()
    expect(sent).toHaveLength(500)
  })

  it('are not sent any more when the task is lost', async () => {
    const { reports, sent, abort, release } = held()
    for (const report of [1, 2, 3]) void reports.add(report)
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    await release()
    expect(sent).toEqual([1])
    void reports.add(4)
    await reports.sent()
    expect(sent).toEqual([1])
  })
})

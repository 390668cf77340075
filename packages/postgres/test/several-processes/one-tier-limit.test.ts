import { afterEach, beforeEach, expect, it } from 'vitest'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const PROCESSES = 3
const REQUESTS = 600
/** Of a professional account, in any rolling minute. */
const BURST = 500

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

it('processes together admit exactly the burst of an account across its keys, and a killed one loses no count', async () => {
  const { taskboard, accountId, database } = board
  const keys = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const { key } = await taskboard.accounts.createKey({ accountId, name, scopes: ['tasks:read'] })
      return key
    }),
  )
  const start = async () => {
    const child = startProcess({ databaseUrl: database.url })
    const { url } = await child.reported('ready')
    return { child, url: new URL('/v2/tasks/task_0', url) }
  }
  const ask = async (url: URL, n: number) => {
    const headers = { authorization: `Bearer ${keys[n % keys.length] ?? ''}` }
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    const numberIn = (name: string) => Number(response.headers.get(name) ?? Number.NaN)
    return {
      status: response.status,
      burstLeft: numberIn('x-ratelimit-burst-remaining'),
      retryAfter: numberIn('retry-after'),
    }
  }

  const processes = await Promise.all(Array.from({ length: PROCESSES }, start))
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, n) => ask(processes[n % PROCESSES]?.url as URL, n >> 2)),
  )
  const passed = answers.filter(({ status }) => status === 404)
  const refused = answers.filter(({ status }) => status === 429)
  expect([passed.length, refused.length]).toEqual([BURST, REQUESTS - BURST])
  // Each got a different remaining number: none was counted twice.
  expect(new Set(passed.map(({ burstLeft }) => burstLeft)).size).toBe(BURST)
  for (const { burstLeft, retryAfter } of refused) {
    expect(burstLeft).toBe(0)
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    expect(retryAfter).toBeLessThanOrEqual(61)
  }

  const [survivor, ...killed] = processes
  await Promise.all(killed.map(({ child }) => child.kill()))
  const after = await ask(survivor?.url as URL, 0)
  expect(after.status).toBe(429)
  const [counted] = await board.rows<{ total: string }>('select total from taskboard.tier_limit')
  expect(Number(counted?.total)).toBe(BURST)
}, 60_000)

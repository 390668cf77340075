import { afterEach, beforeEach, expect, it } from 'vitest'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const PROCESSES = 4
const REQUESTS = 200
/** In any rolling minute: the board's default. */
const LIMIT = 60

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

it('four processes together admit exactly the requests that a key may send in a minute', async () => {
  const { taskboard, accountId, database } = board
  const { key } = await taskboard.accounts.createKey({ accountId, name: 'Eager', scopes: ['tasks:read'] })
  const processes = Array.from({ length: PROCESSES }, () => startProcess({ databaseUrl: database.url }))
  const ready = await Promise.all(processes.map((process) => process.reported('ready')))
  const urls = ready.map(({ url }) => url)

  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, n) => {
      const response = await fetch(`${urls[n % PROCESSES] ?? ''}?action=todo`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const { code = null } = (await response.json()) as { code?: string }
      return { status: response.status, code, retryAfter: Number(response.headers.get('retry-after')) }
    }),
  )
  const passed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(passed).toHaveLength(LIMIT)
  expect(refused).toHaveLength(REQUESTS - LIMIT)
  for (const { status, code, retryAfter } of refused) {
    expect({ status, code }).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    expect(retryAfter).toBeLessThanOrEqual(60)
  }
})

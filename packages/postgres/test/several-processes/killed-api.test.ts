import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

describe('an API process that is killed while it adds a task with an Idempotency-Key', () => {
  it.each([
    ['between the commit and the answer', 'after', 1],
    ['right before the commit', 'before', 0],
  ] as const)('leaves one task after a retry: killed %s', async (_title, when, keptByKilled) => {
    const { taskboard, accountId, database, rows } = board
    const databaseUrl = database.url
    const { key } = await taskboard.accounts.createKey({ accountId, name: 'Client', scopes: ['tasks:write'] })
    const addAt = (url: string): Promise<Response> =>
      fetch(`${url}?action=add`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'the-same-for-each-try',
        },
        body: JSON.stringify({ title: 'Only once', priority: 'high' }),
      })
    const storedIds = async (): Promise<readonly string[]> =>
      (await rows<{ id: string }>('select id from taskboard.task')).map(({ id }) => id)

    const killed = startProcess({ databaseUrl, held: { statement: 'commit', when } })
    const other = startProcess({ databaseUrl })
    const lost = addAt((await killed.reported('ready')).url).catch((error: unknown) => error)
    await killed.reported('held')
    await killed.kill()
    expect(await lost).toBeInstanceOf(TypeError)
    const keptIds = await storedIds()
    expect(keptIds).toHaveLength(keptByKilled)

    const { url } = await other.reported('ready')
    const retried = await addAt(url)
    const body = await retried.text()
    expect({ status: retried.status, body }).toMatchObject({ status: 200 })
    const { task } = JSON.parse(body) as { task: { id: string; title: string } }
    expect(task.title).toBe('Only once')
    expect(await storedIds()).toEqual([task.id])
    if (keptByKilled === 1) expect(keptIds).toEqual([task.id])
    expect(await (await addAt(url)).text()).toBe(body)
    const witness = { acknowledged: [task.id], received: new Map(), isQuiet: false }
    expect(await violations(database.pool, witness)).toEqual([])
  })
})

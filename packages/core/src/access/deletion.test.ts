import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createTaskboard, type Taskboard } from '../index.js'
import { toFetchHandler } from '../entries/transport.js'

const boards: Taskboard[] = []
afterEach(() => Promise.all(boards.splice(0).map((board) => board.close({ drainTimeoutMs: 0 }))))

/** Two processes with the same storage and clock, and an account with a key that both know. */
async function setUp() {
  const clock = virtualClock()
  const storage = memoryStorage()
  const [here, elsewhere] = [createTaskboard({ storage, clock }), createTaskboard({ storage, clock })]
  boards.push(here, elsewhere)
  const { account, workspace } = await here.accounts.create({ name: 'a', tier: 'professional' })
  const { key } = await here.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['account:read', 'account:write', 'tasks:read', 'tasks:write'],
  })
  const from =
    (board: Taskboard) =>
    (path: string, method = 'GET', body?: object): Promise<Response> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return Promise.resolve(toFetchHandler(board)(new Request(`http://board.example/v2${path}`, init)))
    }
  return { clock, here, account, workspace, callHere: from(here), callElsewhere: from(elsewhere) }
}

const burstOf = (answer: Response): string | null => answer.headers.get('x-ratelimit-burst')

describe('a change of tier', () => {
  it('counts at once in the process that makes it, and within a second in the others', async () => {
    const { clock, here, account, callHere, callElsewhere } = await setUp()
    expect(burstOf(await callHere('/account'))).toBe('500')
    expect(burstOf(await callElsewhere('/account'))).toBe('500')
    await here.accounts.update(account.id, { tier: 'enterprise' })
    expect(burstOf(await callHere('/account'))).toBe('2000')
    expect(burstOf(await callElsewhere('/account'))).toBe('500')
    await clock.advance({ seconds: 1 })
    expect(burstOf(await callElsewhere('/account'))).toBe('2000')
  })

  it('names what is wrong with it', async () => {
    const { here, account } = await setUp()
    const { accounts } = here
    await expect(accounts.update(account.id, { tier: 'free' as 'custom' })).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field: 'tier',
    })
    await expect(accounts.update(account.id, { name: ' ' })).rejects.toMatchObject({ field: 'name' })
    await expect(accounts.update(account.id, {})).rejects.toMatchObject({ code: 'INVALID_FIELD' })
    await expect(accounts.update('acct_0', { name: 'n' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a deletion', () => {
  it('of an account refuses its keys at once in this process, and within a second in the others', async () => {
    const { clock, here, account, callHere, callElsewhere } = await setUp()
    for (const call of [callHere, callElsewhere]) expect((await call('/account')).status).toBe(200)
    await here.accounts.delete(account.id)
    expect((await callHere('/account')).status).toBe(401)
    await clock.advance({ seconds: 1 })
    expect((await callElsewhere('/account')).status).toBe(401)
  })

  it('of a workspace is noticed by other processes within a second', async () => {
    const { clock, here, account, callElsewhere } = await setUp()
    const second = await here.accounts.createWorkspace(account.id, { name: 'second' })
    const path = `/tasks?workspace_id=${second.id}`
    expect((await callElsewhere(path)).status).toBe(200)
    await here.accounts.deleteWorkspace(second.id)
    await clock.advance({ seconds: 1 })
    expect((await callElsewhere(path)).status).toBe(404)
  })

  it('in a transaction, or without waiting, is left to the background work', async () => {
    const { clock, here, account, workspace } = await setUp()
    await here.start()
    const second = await here.accounts.createWorkspace(account.id, { name: 'second' })
    const inSecond = await here.board(second.id).add({ title: 'goes first' })
    const inFirst = await here.board(workspace.id).add({ title: 'goes later' })
    await here.transaction((tx) => here.accounts.deleteWorkspace(second.id, { tx }))
    await clock.advance({ seconds: 1 })
    await expect(here.board(second.id).get(inSecond.id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
    await here.accounts.delete(account.id, { wait: false })
    await clock.advance({ seconds: 1 })
    await expect(here.board(workspace.id).get(inFirst.id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
  })
})

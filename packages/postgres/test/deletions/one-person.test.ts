import { readFileSync } from 'node:fs'
import { createTaskboard, defineAgent } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { plainPasswordHasher } from '@taskboard/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../../src/postgres-storage.js'
import { exportLines } from '../../src/transfer/export-lines.js'
import { rowsNaming } from './owned-rows.js'

const EMAIL = 'ada@acme.example'
const PASSWORD = 'correct horse battery'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

/** The statements of the page, for a person. */
function erasing(userId: string): string {
  const page = readFileSync(new URL('../../../../docs/data-protection.md', import.meta.url), 'utf8')
  const [, sql = ''] = /```sql\n([^`]*)```/.exec(page) ?? []
  return sql.replaceAll('user_01k…', userId)
}

async function openBoard() {
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool: database.pool, listen: false }),
    agents: [defineAgent({ type: 'general', run: () => 'done' })],
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    secrets: { encryptionKey: Buffer.alloc(32, 7) },
    passwordHasher: plainPasswordHasher,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const user = await taskboard.accounts.createUser(account.id, { email: EMAIL, password: PASSWORD })
  const handle = toFetchHandler(taskboard)
  let token: string | undefined
  async function call(path: string, body: object): Promise<Readonly<Record<string, string>>> {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await handle(new Request(`http://127.0.0.1${path}`, init), {
      clientAddress: '203.0.113.7',
    })
    const json = (await response.json()) as Readonly<Record<string, string>>
    expect([response.ok, json]).toEqual([true, json])
    return json
  }
  token = (await call('/v2/auth/login', { email: EMAIL, password: PASSWORD }))['access_token']
  return { taskboard, account, workspace, user, call }
}

it('a person is found in an export of the account, and erased by the steps of docs/data-protection.md', async () => {
  const { taskboard, account, workspace, user, call } = await openBoard()
  const board = taskboard.board(workspace.id)
  const [agent] = await taskboard.agents.list(workspace.id)
  const task = await board.add({ title: 'Send the offer' })
  await call(`/v2/tasks/${task.id}/comments`, { body: 'Looks right' })
  const claimed = await board.claim({ agentId: agent?.id ?? '' })
  const asked = {
    action: 'send',
    summary: 'Send it',
    input: {},
    fencingToken: claimed?.lease?.fencingToken ?? 0,
  }
  const { approval } = await board.requestApproval(task.id, asked)
  await call(`/v2/approvals/${approval.id}/decision`, { decision: 'approved' })
  const other = await board.add({ title: 'Call them' })
  await call(`/v2/tasks/${other.id}/move`, { to: 'doing' })

  const names = [user.id, EMAIL]
  const lines: string[] = []
  for await (const batch of exportLines(database.pool, { accountId: account.id })) lines.push(...batch)
  const found = lines.filter((line) => names.some((name) => line.includes(name)))
  for (const part of ['"account_user"', '"audit"', '"approval"', 'Looks right', 'Call them']) {
    expect(found.filter((line) => line.includes(part))).not.toEqual([])
  }

  await taskboard.accounts.deleteUser(user.id)
  const rows = async <Row>(text: string, ...values: readonly unknown[]) =>
    (await database.pool.query({ text, values: [...values] })).rows as Row[]
  expect(Object.keys(await rowsNaming(rows, [EMAIL]))).toEqual(
    expect.arrayContaining(['approval', 'audit', 'task', 'task_comment']),
  )
  await database.pool.query(erasing(user.id))
  const left = Object.keys(await rowsNaming(rows, [EMAIL]))
  expect(left.filter((table) => !['event_batch', 'idempotency'].includes(table))).toEqual([])
  expect((await board.get(task.id)).title).toBe('Send the offer')
  await taskboard.close()
})

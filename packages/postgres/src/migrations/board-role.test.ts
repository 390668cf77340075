import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createTaskboard, defineAgent } from '@taskboard/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../postgres-storage.js'

const role = `board_${randomBytes(6).toString('hex')}`
let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
  await database.pool.query(`create role ${role} login password 'board'`)
})
afterAll(async () => {
  await database.pool.query(`drop owned by ${role}; drop role ${role}`)
  await database.drop()
})

/** The rights that docs/upgrading.md grants. */
function grants(): string {
  const page = readFileSync(new URL('../../../../docs/upgrading.md', import.meta.url), 'utf8')
  const [, sql = ''] = /```sql\n([^`]*)```/.exec(page) ?? []
  return sql.replaceAll('to board;', `to ${role};`)
}

it('a board works in a role that has the rights of the docs, and no other', async () => {
  await database.pool.query(grants())
  const url = new URL(database.url)
  Object.assign(url, { username: role, password: 'board' })
  const pool = createTestPool({ connectionString: url.href, max: 4 })
  const agent = defineAgent({ type: 'general', run: () => 'done' })
  const secrets = { encryptionKey: randomBytes(32) }
  const taskboard = createTaskboard({ storage: postgresStorage({ pool }), agents: [agent], secrets })
  const completed = new Promise((resolve) => taskboard.events.once('task.completed', resolve))
  await taskboard.start()
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const { id } = await taskboard.board(workspace.id).add({ title: 'One' })
  await completed
  expect((await taskboard.board(workspace.id).get(id)).result).toBe('done')
  await taskboard.accounts.delete(account.id)
  await taskboard.close()
  await pool.end()
})

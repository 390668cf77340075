import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { readSchemaText } from '../../test/schema-text.js'

/** Servers of other versions describe the same schema in other words. */
const VERSION = 18
const FILE = '../../schema/catalog.txt'
const HINT = `rewrite packages/postgres/schema/catalog.txt: npx vitest run packages/postgres/src/migrations/catalog.test.ts -u`

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

it('the schema and all later migrations add up to schema/catalog.txt', async ({ skip }) => {
  const { rows } = await database.pool.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  )
  if (Math.floor(Number(rows[0]?.version) / 10_000) !== VERSION) skip()
  await expect(await readSchemaText(database.pool)).toMatchFileSnapshot(FILE, HINT)
})

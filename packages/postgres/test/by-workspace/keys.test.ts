import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { keysAcrossWorkspaces, readCatalog, type Catalog } from './catalog.js'
import { keysWithoutWorkspace, tablesWithoutWorkspace } from './exceptions.js'

const isEverywhere = (table: string): boolean =>
  tablesWithoutWorkspace[table]?.startsWith('everywhere') === true

let database: TestDatabase
let catalog: Catalog

beforeAll(async () => {
  database = await createMigratedDatabase()
  catalog = await readCatalog(database.pool)
})
afterAll(() => database.drop())

describe('the migrated schema', () => {
  it('names the workspace in each row, but for the tables that are listed', () => {
    const others = catalog.tables.filter((table) => !catalog.distributed.includes(table))
    expect(others).toEqual(Object.keys(tablesWithoutWorkspace).toSorted())
  })

  it('names the workspace in each primary key, unique index and foreign key, but for those that are listed', () => {
    expect(keysAcrossWorkspaces(catalog, isEverywhere)).toEqual(Object.keys(keysWithoutWorkspace).toSorted())
  })

  it('finds the keys that do not: unique ones, references by an id alone, and references into a distributed table', async () => {
    await database.pool.query(`
      create table taskboard.planted (workspace_id text not null, id text unique, task_id text references taskboard.task,
        primary key (workspace_id, id), unique (workspace_id, task_id));
      create table taskboard.planted_elsewhere (task_id text primary key references taskboard.task)`)
    const planted = keysAcrossWorkspaces(await readCatalog(database.pool), isEverywhere)
    expect(planted.filter((name) => name.startsWith('planted'))).toEqual([
      'planted_elsewhere_task_id_fkey',
      'planted_id_key',
      'planted_task_id_fkey',
    ])
  })
})

import { storageConformance } from '@taskboard/testing'
import { AsyncResource } from 'node:async_hooks'
import { afterAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import { pglitePool } from '../src/pglite/pglite-pool.js'
import type { PgConnection } from '../src/connection/pool.js'
import { postgresStorage } from '../src/postgres-storage.js'

const pglite = await createMigratedPglite()
const pool = pglitePool(pglite)

// A process that knows a task and its version need not read it again.
await pglite.exec(`
  create function require_version() returns trigger language plpgsql as $$
  begin
    raise exception 'a write of the task % does not count its version', new.id;
  end
  $$;
  create trigger require_version after update on taskboard.task for each row
    when (new.version = old.version and to_jsonb(new) - 'has_dependents' <> to_jsonb(old) - 'has_dependents')
    execute function require_version()`)

afterAll(() => pglite.close())

const open = async () => {
  await emptyTables(pool)
  const openAnother = async () => {
    const storage = postgresStorage({ pool })
    return { storage, close: () => storage.close() }
  }
  // There is one connection.
  return { ...(await openAnother()), openAnother, readsWait: true }
}

describe('the storage keeps the promises of every port on PGlite', () => {
  for (const { id, name, run } of oneSeedEach(storageConformance(open))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})

describe('a reading from outside an open transaction on PGlite', () => {
  it('waits for the end, and sees all of a commit and nothing of a rollback', async () => {
    const { storage } = await open()
    const add = (name: string, tx?: PgConnection) =>
      storage.access.insertAccount(
        { name, tier: 'professional', workspaceName: name, agent: null },
        { now: 0, tx },
      )
    const names = async () =>
      (await storage.access.listAccounts({ limit: 10 }, { now: 0 })).map(({ name }) => name)
    const order: string[] = []
    const read = AsyncResource.bind(names)
    const readWhile = async (name: string, isKept: boolean) => {
      let outside: Promise<readonly string[]> | undefined
      const work = storage.transaction(async (tx) => {
        await add(`${name} 1`, tx)
        outside = read().finally(() => order.push('outside'))
        await add(`${name} 2`, tx)
        order.push('inside')
        if (!isKept) throw new Error('no')
      })
      await work.catch(() => undefined)
      return outside
    }
    expect(await readWhile('lost', false)).toEqual([])
    expect(await readWhile('kept', true)).toEqual(['kept 1', 'kept 2'])
    expect(order).toEqual(['inside', 'outside', 'inside', 'outside'])
  })
})

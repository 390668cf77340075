import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { pglitePool } from './pglite-pool.js'
import type { PgPool } from '../connection/pool.js'

const pglite = await createMigratedPglite()
const pool = pglitePool(pglite)
const query = (text: string, values: unknown[] = [], on: Pick<PgPool, 'query'> = pool) =>
  on.query({ text, values })

beforeAll(() => query('create table note (text text)'))
afterAll(() => pglite.close())

describe('pglitePool', () => {
  it('returns the same rows as pg', async () => {
    const server = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1 })
    try {
      const text = `select $1::bigint as int8, $2::float8 as float8, 3 as int4, 4::smallint as int2, 'x' as text, true as bool,
        null::bigint as missing, $3::jsonb as json, array['a', null, 'b,"c'] as texts, array[1, 2]::bigint[] as int8s,
        '{}'::bigint[] as empty, array[1, 2] as int4s, '\\x00ff'::bytea as bytes, 1.50::numeric as numeric, '7'::xid8 as xid8,
        timestamptz '2026-01-02 03:04:05.678Z' as at, gen_random_uuid() is not null as uuid, 0.25::real as real`
      const values = ['9007199254740993', 2 ** 53 - 1, JSON.stringify({ a: [1, null, 'ü'] })]
      const [ours, theirs] = [await query(text, values), await query(text, values, server)]
      expect(ours.rows).toEqual(theirs.rows)
      const arrays =
        'select $1::text[] as texts, $2::bigint[] as numbers, $3::boolean as flag, $4::text as nothing'
      const lists = [['a', 'b,c', null], [1, 2 ** 40], false, null]
      expect((await query(arrays, lists)).rows).toEqual((await query(arrays, lists, server)).rows)
      expect((await query(`select 'a;b' as text`)).rows).toEqual([{ text: 'a;b' }])
      const named = await pool.query({ text, values, name: 'types' })
      expect(named.rows).toEqual(theirs.rows)
      expect((await pool.query({ text: arrays, values: lists, name: 'arrays' })).rows).toEqual(
        (await query(arrays, lists)).rows,
      )
    } finally {
      await server.end()
    }
  })

  it('runs several statements of one text', async () => {
    await query(`insert into note values ('one'); insert into note values ('two')`)
    expect((await query('select count(*)::integer as n from note; select 5 as five')).rows).toEqual([
      { five: 5 },
    ])
    expect((await query('delete from note returning text')).rows).toHaveLength(2)
  })

  it('keeps other queries out of an open transaction, and serves waiting ones in order', async () => {
    const order: string[] = []
    const client = await pool.connect()
    await client.query({ text: 'begin', values: [] })
    const outside = query('select count(*)::integer as n from note').then(
      ({ rows }) => (order.push('outside'), rows),
    )
    const next = pool.connect().then((other) => (order.push('next'), other))
    await client.query({ text: `insert into note values ('inside')`, values: [] })
    order.push('inside')
    await client.query({ text: 'rollback', values: [] })
    client.release()
    expect(await outside).toEqual([{ n: 0 }])
    ;(await next).release()
    expect(order).toEqual(['inside', 'outside', 'next'])
  })

  it('continues after a query that failed, and reports its SQLSTATE', async () => {
    await expect(query('select * from nothing')).rejects.toMatchObject({ code: '42P01' })
    await expect(query('select 1 / $1::integer', [0])).rejects.toMatchObject({ code: '22012' })
    expect((await query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('leaves nothing open on a connection that is released as broken', async () => {
    const client = await pool.connect()
    await client.query({ text: `begin; insert into note values ('lost')`, values: [] })
    client.release(new Error('broken'))
    expect((await query('select count(*)::integer as n from note')).rows).toEqual([{ n: 0 }])
  })

  it('refuses a connection that was released', async () => {
    const client = await pool.connect()
    client.release()
    await expect(client.query({ text: 'select 1', values: [] })).rejects.toThrow(
      'the connection was released',
    )
    expect(() => client.release()).toThrow('already released')
  })
})

describe('a named query of pglitePool', () => {
  const named = (name: string, text: string, values: unknown[] = [], on: Pick<PgPool, 'query'> = pool) =>
    on.query({ text, values, name })
  const preparedUses = async () => {
    const { rows } = await query(
      'select name, (generic_plans + custom_plans)::integer as uses from pg_prepared_statements',
    )
    return new Map((rows as { name: string; uses: number }[]).map(({ name, uses }) => [name, uses]))
  }

  it('is prepared once for all calls of pglitePool', async () => {
    expect((await named('doubled', 'select 2 * $1::integer as n', [1])).rows).toEqual([{ n: 2 }])
    expect((await named('doubled', 'select 2 * $1::integer as n', [2], pglitePool(pglite))).rows).toEqual([
      { n: 4 },
    ])
    expect((await preparedUses()).get('doubled')).toBe(2)
    await expect(named('doubled', 'select 3')).rejects.toThrow('is in use by another prepared statement')
  })

  it('reports its SQLSTATE when it fails, and can run again, even in a transaction', async () => {
    const divide = (by: number, on?: Pick<PgPool, 'query'>) =>
      named('divide', 'select 8 / $1::integer as n', [by], on)
    await expect(named('unknown', 'select * from nothing')).rejects.toMatchObject({ code: '42P01' })
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    expect((await divide(2)).rows).toEqual([{ n: 4 }])
    const client = await pool.connect()
    await client.query({ text: 'begin; savepoint one', values: [] })
    await expect(divide(0, client)).rejects.toMatchObject({ code: '22012' })
    await expect(divide(4, client)).rejects.toMatchObject({ code: '25P02' })
    await client.query({ text: 'rollback to savepoint one', values: [] })
    expect((await divide(4, client)).rows).toEqual([{ n: 2 }])
    await client.query({ text: 'rollback', values: [] })
    client.release()
  })

  it('is prepared again when the server has deallocated it, or its columns have changed', async () => {
    await query('create table grown (a integer); insert into grown values (1)')
    const all = () => named('all_of_grown', 'select * from grown').then(({ rows }) => rows)
    expect(await all()).toEqual([{ a: 1 }])
    await query('alter table grown add column b integer default 2')
    expect(await all()).toEqual([{ a: 1, b: 2 }])
    await query('deallocate all')
    expect(await all()).toEqual([{ a: 1, b: 2 }])
  })

  it('replaces another statement prepared under its name', async () => {
    await query('prepare taken as select 1')
    expect((await named('taken', 'select 2 as n')).rows).toEqual([{ n: 2 }])
  })

  it('is evicted when there are more than 500', async () => {
    await named('kept', 'select 0 as n')
    for (let n = 0; n < 510; n++) {
      await named(`many_${n}`, 'select $1::integer as n', [n])
      if (n === 250) await named('kept', 'select 0 as n')
    }
    const uses = await preparedUses()
    expect(uses.size).toBe(500)
    expect([uses.has('kept'), uses.has('many_0'), uses.has('many_509')]).toEqual([true, false, true])
  })

  it('waits for a transaction that the host has open on the instance itself', async () => {
    let outside: Promise<unknown[]> | undefined
    await pglite.transaction(async (tx) => {
      await tx.query(`insert into note values ('of the host')`)
      outside = named('notes', 'select count(*)::integer as n from note').then(({ rows }) => rows)
      await tx.query('delete from note')
    })
    expect(await outside).toEqual([{ n: 0 }])
  })

  it('is refused once the instance is closed', async () => {
    const closed = await createMigratedPglite()
    const itsPool = pglitePool(closed)
    expect((await named('one', 'select 1 as n', [], itsPool)).rows).toEqual([{ n: 1 }])
    await closed.close()
    await expect(named('one', 'select 1 as n', [], itsPool)).rejects.toThrow('PGlite is closed')
  })
})

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { boundedConnection, boundedPool } from './bounded-pool.js'
import { resolveTimeouts } from './timeouts.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ max: 2 })
})
afterAll(() => database.drop())

const timeouts = { connectTimeoutMs: 100, statementTimeoutMs: 100 }
const asked = (text: string) => ({ text, values: [] })
const BACKEND = asked('select pg_backend_pid() as pid')

async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('select pg_terminate_backend($1, 5000)', [pid])
  await client.end()
}

describe('boundedPool', () => {
  it('closes a connection that does not answer, and provides another', async () => {
    const pool = boundedPool(database.pool, timeouts)
    const client = await pool.connect()
    const before = await client.query(BACKEND)
    const slow = client.query(asked('select pg_sleep(30)'))
    await expect(slow).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('may have been done'),
    })
    // It would wait behind the statement that hangs.
    await expect(client.query(BACKEND)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    client.release()
    expect((await pool.query(BACKEND)).rows).not.toEqual(before.rows)
    await expect(pool.query(asked('select pg_sleep(30)'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(database.pool.idleCount).toBe(database.pool.totalCount)
  })

  it('waits longer with a longer time-out', async () => {
    const client = await boundedPool(database.pool, timeouts).connect(20_000)
    const { rows } = await client.query(asked('select pg_sleep(0.3)'))
    client.release()
    expect(rows).toHaveLength(1)
  })

  it('releases a connection that arrives too late', async () => {
    const held = await Promise.all([database.pool.connect(), database.pool.connect()])
    const pool = boundedPool(database.pool, timeouts)
    await expect(pool.query(BACKEND)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('timed out acquiring a database connection'),
    })
    for (const client of held) client.release()
    await Promise.all([pool.query(BACKEND), pool.query(BACKEND)])
    expect(database.pool.idleCount).toBe(2)
  })

  it('keeps a connection after an invalid statement', async () => {
    const pool = boundedPool(database.pool, timeouts)
    const before = await pool.query(BACKEND)
    await expect(pool.query(asked('select 1 / 0'))).rejects.toMatchObject({ code: '22012' })
    expect((await pool.query(BACKEND)).rows).toEqual(before.rows)
  })

  it('survives the loss of a connection that is acquired and idle', async () => {
    const lost = new Promise((resolve) => database.pool.once('acquire', (lent) => lent.once('end', resolve)))
    const client = await boundedPool(database.pool, timeouts).connect()
    const [row] = (await client.query(BACKEND)).rows as { readonly pid: number }[]
    await terminate(row?.pid ?? 0)
    await lost
    await expect(client.query(BACKEND)).rejects.toThrow(/terminat/)
    client.release()
    expect(database.pool.idleCount).toBe(database.pool.totalCount)
  })

  it('survives the loss of a connection in the moment in which it opens', async () => {
    const message = (type: string, body: string): string =>
      `${type}\0\0\0${String.fromCharCode(4 + body.length)}${body}`
    // In one packet: authenticated, ready, and terminated by an administrator.
    const answer = [
      message('R', '\0\0\0\0'),
      message('Z', 'I'),
      message('E', 'SFATAL\0C57P01\0Mterminated\0\0'),
    ]
    const server = createServer((socket) =>
      socket.once('data', () => socket.end(Buffer.from(answer.join(''), 'latin1'))),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres', max: 1 })
    const client = await boundedPool(pool, timeouts).connect()
    await expect(client.query(BACKEND)).rejects.toThrow(/terminat|not queryable/)
    client.release()
    expect(pool.totalCount).toBe(0)
    await pool.end()
    server.close()
  })

  it('does not time out answers that arrived while the process was busy', async () => {
    const pool = boundedPool(database.pool, timeouts)
    await pool.query(BACKEND)
    const answer = pool.query(BACKEND)
    await sleep(0)
    const end = Date.now() + 300
    while (Date.now() < end);
    expect((await answer).rows).toHaveLength(1)
  })
})

describe('boundedConnection', () => {
  it('sends nothing more to a transaction that left a statement unanswered', async () => {
    const asks: string[] = []
    const host = {
      query: ({ text }: { readonly text: string }) => {
        asks.push(text)
        return new Promise<never>(() => undefined)
      },
    }
    const connection = boundedConnection(host, 20)
    await expect(connection.query(asked('a'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(connection.query(asked('b'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(asks).toEqual(['a'])
  })
})

describe('resolveTimeouts', () => {
  it.each([0, 1.5, Number.NaN, Infinity, 3_600_001])('refuses %s and names the field', (value) => {
    const refusal = (field: string) => expect.objectContaining({ code: 'INVALID_CONFIG', field })
    expect(() => resolveTimeouts({ statementTimeoutMs: value })).toThrow(refusal('statementTimeoutMs'))
    expect(() => resolveTimeouts({ connectTimeoutMs: value })).toThrow(refusal('connectTimeoutMs'))
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeSynchronous, promote, type ServerPair, startServerPair } from '@taskboard/kit/postgres/standby'
import { type BoardsOnPair, openBoardsOnPair } from './boards-on-pair.js'

/** Work must go on within this time after the promotion. */
const RECOVERY_MS = 10_000
const ADDS = 15
const RUNS = Number(process.env['FAILOVER_RUNS'] ?? 1)

let pair: ServerPair
let boards: BoardsOnPair

beforeEach(async () => {
  pair = await startServerPair(['fsync=off'])
  await makeSynchronous(pair.primary)
  boards = await openBoardsOnPair(pair)
}, 60_000)
afterEach(async () => {
  await boards.close()
  await pair.stop()
}, 60_000)

describe.each(Array.from({ length: RUNS }, (_, run) => run))('a board under load (%i)', () => {
  it('loses nothing and does nothing twice when the primary is killed and the standby promoted', async () => {
    await boards.acknowledge(ADDS)
    await sleep(Math.random() * 200)
    await pair.primary.kill()
    await sleep(Math.random() * 500)
    await promote(pair.standby)
    expect(await boards.acknowledge(ADDS)).toBeLessThan(RECOVERY_MS)
    expect(await boards.settle(pair.standby)).toEqual([])
  }, 120_000)

  it('leaves a primary that was only paused for the one that was promoted meanwhile', async () => {
    await boards.acknowledge(ADDS)
    await pair.primary.pause()
    await sleep(Math.random() * 500)
    await promote(pair.standby)
    expect(await boards.acknowledge(ADDS)).toBeLessThan(RECOVERY_MS)
    await pair.primary.resume()
    await boards.acknowledge(ADDS)
    expect(await boards.settle(pair.standby)).toEqual([])
    expect(await clientsOf(pair.primary.url)).toEqual([])
  }, 120_000)
})

/** The connections of boards that could still write to a server. One whose client has left waits for the lost standby as `active`. */
async function clientsOf(connectionString: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ query: string }>(
      `select query from pg_stat_activity where backend_type = 'client backend' and state <> 'active'
        and query not like '%pg_walfile_name%'`,
    )
    return rows.map(({ query }) => query)
  } finally {
    await client.end()
  }
}

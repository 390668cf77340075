import { RateLimiterPostgres, RateLimiterUnion } from 'rate-limiter-flexible'
import type pg from 'pg'
import { createBenchDatabase, createBoard } from './board.js'
import { compareRates, rateOf } from './measure.js'
import { atLeast, reportFigure } from './report.js'

/**
 * Decisions on an hour and a minute together, with as many waiting as in a busy API process. Theirs are two limiters in a
 * union, set up as its documentation shows: two fixed windows, each counted by a separate statement. Ours is one decision, with
 * a rolling minute and refusals that count in neither. Neither waits for the disk: ours by design, theirs by a setting of its
 * database.
 */
const ACCOUNTS = 1_000
const IN_FLIGHT = 500
const PER_HOUR = 100_000
const PER_MINUTE = 2_000

const board = await createBoard()
const { limits } = board.storage
const database = await createBenchDatabase()
const { pathname } = new URL(database.url)
await database.pool.query(`alter database ${pathname.slice(1)} set synchronous_commit = off`)

// Connections opened before do not have the setting.
const theirPool = database.morePool(10)

interface Rates {
  readonly perHour: number
  readonly perMinute: number
}

/** Resolves once its table exists. */
function flexible(pool: pg.Pool, points: number, duration: number): Promise<RateLimiterPostgres> {
  return new Promise((resolve, reject) => {
    const name = `limits_${points}_${duration}`
    const options = { storeClient: pool, points, duration, tableName: name, keyPrefix: name }
    const limiter: RateLimiterPostgres = new RateLimiterPostgres(options, (error?: Error) => {
      if (error === undefined) resolve(limiter)
      else reject(error)
    })
  })
}

let call = 0
/** In mixed order, each equally often. */
const accountOf = (accounts: number): string =>
  `acc_01j9z${String((call++ * 7_919) % accounts).padStart(21, '0')}`
let admitted = 0

async function measure(what: string, accounts: number, { perHour, perMinute }: Rates): Promise<number> {
  const theirs = new RateLimiterUnion(
    await flexible(theirPool, perHour, 3_600),
    await flexible(theirPool, perMinute, 60),
  )
  const [ours = 0, others = 1] = await compareRates(
    `decisions ${what}`,
    [
      {
        name: 'taskboard',
        round: (ms) =>
          rateOf(IN_FLIGHT, ms, async () => {
            const key = `${what}${accountOf(accounts)}`
            const { allowed } = await limits.take({ key, perHour, perMinute }, { now: null })
            admitted += allowed ? 1 : 0
            return 1
          }),
      },
      {
        name: 'rate-limiter-flexible 11.4.0, RateLimiterUnion of two',
        round: (ms) =>
          rateOf(IN_FLIGHT, ms, async () => {
            const isAllowed = await theirs.consume(`${what}${accountOf(accounts)}`).then(
              () => true,
              (reason: unknown) => {
                if (reason instanceof Error) throw reason
                return false
              },
            )
            admitted += isAllowed ? 1 : 0
            return 1
          }),
      },
    ],
    { rounds: 3, roundMs: 2_500, warmUpMs: 1_500 },
  )
  return ours / others
}

const enterprise = { perHour: PER_HOUR, perMinute: PER_MINUTE }
const many = await measure(`over ${ACCOUNTS} accounts`, ACCOUNTS, enterprise)
const hot = await measure('on one hot account, nearly all refused', 1, enterprise)
const wide = await measure('on one hot account, all allowed', 1, {
  perHour: 100_000_000,
  perMinute: 10_000_000,
})
atLeast(`tier decisions over ${ACCOUNTS} accounts to rate-limiter-flexible's`, many, 4)
atLeast("tier decisions on one hot account to rate-limiter-flexible's", hot, 20)
reportFigure("tier decisions on one hot account, all allowed, to rate-limiter-flexible's", wide, 'x')
console.log(`   ${admitted} were admitted in all`)
await Promise.all([board.end(), database.end()])

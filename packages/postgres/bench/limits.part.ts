import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { createBenchDatabase, createBoard, type BenchDatabase } from './board.js'
import { compareRates, rateOf } from './measure.js'
import { atLeast, reportFigure } from './report.js'

/**
 * Decisions a second with as many waiting as in a busy API process. Theirs counts in fixed windows, set up as its documentation
 * shows, without an in-memory block; ours is exact in any rolling window.
 */
const KEYS = 10_000
const IN_FLIGHT = 500
const WINDOW_MS = 60_000
const LIMIT = 60

const board = await createBoard()
const { limits } = board.storage
const database = await createBenchDatabase()

/** Resolves once its table exists. */
function flexible({ pool }: BenchDatabase, points: number): Promise<RateLimiterPostgres> {
  return new Promise((resolve, reject) => {
    const options = { storeClient: pool, points, duration: WINDOW_MS / 1_000, tableName: `limits_${points}` }
    const limiter: RateLimiterPostgres = new RateLimiterPostgres(options, (error?: Error) => {
      if (error === undefined) resolve(limiter)
      else reject(error)
    })
  })
}

let call = 0
/** In mixed order, each equally often. */
const keyOf = (keys: number): string => `key:ak_01j9z${String((call++ * 7_919) % keys).padStart(21, '0')}`
let admitted = 0

async function measure(what: string, keys: number, limit: number): Promise<number> {
  const theirs = await flexible(database, limit)
  const [ours = 0, others = 1] = await compareRates(
    `decisions ${what}, limit ${limit}`,
    [
      {
        name: 'taskboard',
        round: (ms) =>
          rateOf(IN_FLIGHT, ms, async () => {
            const { allowed } = await limits.take(
              { key: `${what}${limit}${keyOf(keys)}`, limit, windowMs: WINDOW_MS },
              { now: null },
            )
            admitted += allowed ? 1 : 0
            return 1
          }),
      },
      {
        name: 'rate-limiter-flexible 11.4.0, RateLimiterPostgres',
        round: (ms) =>
          rateOf(IN_FLIGHT, ms, async () => {
            const isAllowed = await theirs.consume(`${what}${keyOf(keys)}`).then(
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

const many = await measure(`over ${KEYS} keys`, KEYS, LIMIT)
const hot = await measure('on one hot key, nearly all refused', 1, LIMIT)
const wide = await measure('on one hot key, all allowed', 1, 100_000)
atLeast(`limiter decisions over ${KEYS} keys to rate-limiter-flexible's`, many, 4)
atLeast("limiter decisions on one hot key to rate-limiter-flexible's", hot, 20)
reportFigure("limiter decisions on one hot key, all allowed, to rate-limiter-flexible's", wide, 'x')
console.log(`   ${admitted} were admitted in all`)
await Promise.all([board.end(), database.end()])

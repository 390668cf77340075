import { RateLimiterMemory } from 'rate-limiter-flexible'
import { recordFigure } from '@taskboard/kit/bench/figure'
import { createRateLimiter, type LimitDecision } from '../src/limits/index.js'

/**
 * Limiter decisions a second, compared with rate-limiter-flexible's memory limiter in the same run. Rounds alternate between the
 * two, and the median round counts. Its calls return promises; Taskboard's are measured plain and awaited, because an await
 * costs both the same.
 */
const WINDOW_MS = 60_000
const DECISIONS = 200_000
const ROUNDS = 5
const WARM_UP_ROUNDS = 1
const GOAL = 3

interface Contestant {
  readonly round: (keys: readonly string[]) => Promise<void>
  /** Releases what it holds, mainly timers, so that it does not slow down the next round. */
  readonly end?: (keys: readonly string[]) => Promise<void>
}
interface Mix {
  readonly name: string
  readonly keys: readonly string[]
  readonly limit: number
  readonly decisions: number
}

function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key:ak_01j9z${String(index).padStart(21, '0')}`)
}

/** The keys as in requests: in random order, each equally often. */
function sequence({ keys, decisions }: Mix): string[] {
  return Array.from({ length: decisions }, (_, index) => keys[(index * 7_919) % keys.length] ?? '')
}

/** Enough calls for the engine to compile a new limiter, on a key that is not measured. */
const warmUp = Array.from({ length: 20_000 }, () => 'warm-up')

let sink = 0

function oursPlain(limit: number): Contestant {
  const limiter = createRateLimiter({ limit, windowMs: WINDOW_MS })
  return {
    async round(keys) {
      for (const key of keys) sink += limiter.take(key).remaining
    },
  }
}

function oursAwaited(limit: number): Contestant {
  const limiter = createRateLimiter({ limit, windowMs: WINDOW_MS })
  const take = (key: string): LimitDecision | Promise<LimitDecision> => limiter.take(key)
  return {
    async round(keys) {
      for (const key of keys) {
        const decision = await take(key)
        sink += decision.remaining
      }
    },
  }
}

function theirs(limit: number): Contestant {
  const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_MS / 1_000 })
  return {
    async round(keys) {
      for (const key of keys) {
        try {
          const result = await limiter.consume(key)
          sink += result.remainingPoints
        } catch {
          sink += 1
        }
      }
    },
    async end(keys) {
      for (const key of keys) await limiter.delete(key)
    },
  }
}

/** A new limiter that has seen each key once, so that all rounds start alike and no earlier round uses up a limit. */
async function decisionsPerSecond(
  make: (limit: number) => Contestant,
  mix: Mix,
  calls: readonly string[],
): Promise<number> {
  const contestant = make(mix.limit)
  await contestant.round(warmUp)
  await contestant.round(mix.keys)
  globalThis.gc?.()
  const startedAt = performance.now()
  await contestant.round(calls)
  const tookMs = performance.now() - startedAt
  await contestant.end?.(mix.keys)
  return (calls.length / tookMs) * 1_000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const inMillions = (rate: number): string => `${(rate / 1e6).toFixed(2)} M/s`.padStart(11)
const asRatio = (ratio: number): string => `${ratio.toFixed(1)}x`.padStart(7)

async function measure(mix: Mix): Promise<{ readonly plain: number; readonly awaited: number }> {
  const calls = sequence(mix)
  const contestants = [oursPlain, oursAwaited, theirs]
  const rates = contestants.map((): number[] => [])
  const rounds = Math.round((ROUNDS * DECISIONS) / mix.decisions)
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const rate = await decisionsPerSecond(contestant, mix, calls)
      if (round >= WARM_UP_ROUNDS) rates[index]?.push(rate)
    }
  }
  const [plain = 0, awaited = 0, floor = 1] = rates.map(median)
  const ratios = { plain: plain / floor, awaited: awaited / floor }
  console.log(
    `${mix.name.padEnd(34)} ${inMillions(plain)} ${asRatio(ratios.plain)} ${inMillions(awaited)} ${asRatio(ratios.awaited)} ${inMillions(floor)}`,
  )
  return ratios
}

const mixes: readonly Mix[] = [
  { name: '10,000 keys, all allowed', keys: keysOf(10_000), limit: 60, decisions: DECISIONS },
  { name: '10,000 keys, 5 of 6 refused', keys: keysOf(10_000), limit: 6, decisions: DECISIONS },
  { name: 'one hot key, all allowed', keys: keysOf(1), limit: 100_000, decisions: 99_999 },
  { name: 'one hot key, nearly all refused', keys: keysOf(1), limit: 60, decisions: DECISIONS },
]

console.log(`limiter decisions, medians of at least ${ROUNDS} rounds, Node ${process.version}`)
console.log(`${''.padEnd(34)}       plain   ratio     awaited   ratio   flexible`)
let worst = { plain: Infinity, awaited: Infinity }
for (const mix of mixes) {
  const ratios = await measure(mix)
  worst = { plain: Math.min(worst.plain, ratios.plain), awaited: Math.min(worst.awaited, ratios.awaited) }
}
recordFigure({ what: 'limiter, lowest of four mixes', value: worst.plain, unit: 'x' })
recordFigure({ what: 'limiter, awaited, lowest of four mixes', value: worst.awaited, unit: 'x' })
console.log(
  `lowest ratio: plain ${worst.plain.toFixed(1)}x (goal ${GOAL}x), awaited ${worst.awaited.toFixed(1)}x${sink < 0 ? '!' : ''}`,
)

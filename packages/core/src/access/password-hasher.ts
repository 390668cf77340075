import { scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import type { Random } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** Limits how much work runs at once, and how much waits. */
interface ConcurrencyLimiter {
  /** Runs `work` when there is room. @throws TaskboardError `SERVICE_UNAVAILABLE` at once when too many wait. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** A limiter of this process. Work runs in the order of arrival. */
function createConcurrencyLimiter(limits: {
  readonly atOnce: number
  readonly mostWaiting: number
}): ConcurrencyLimiter {
  const { atOnce, mostWaiting } = limits
  const waiting: (() => void)[] = []
  let inside = 0

  return {
    async run(work) {
      if (inside < atOnce) inside += 1
      else if (waiting.length >= mostWaiting) {
        throw new TaskboardError('SERVICE_UNAVAILABLE', 'too many logins at once; try again', {
          retryAfterMs: 1_000,
        })
      } else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        // The next in line takes over this place.
        if (next === undefined) inside -= 1
        else next()
      }
    },
  }
}

/** Hashes passwords for storage. Slow on purpose. */
export interface PasswordHasher {
  /** A salted text that names its algorithm and cost. The same password twice gives two texts. */
  hash(password: string): Promise<string>
  /** Whether `stored` was made from `password`. False for text that is not a hash of this kind. */
  verify(password: string, stored: string): Promise<boolean>
  /** Text that no password matches. Verifying it costs as much as verifying any hash that `hash` makes now. */
  readonly decoy: string
}

interface ScryptHasherOptions {
  readonly random: Random
  /** The binary logarithm of scrypt's N; default 15, with which a hash takes 32 MiB. */
  readonly costLog2?: number | undefined
  /** How many hashes run at once; default 2, which leaves two of Node's four threads for other work. */
  readonly atOnce?: number | undefined
  /** How many may wait; default 100. More are refused. */
  readonly mostWaiting?: number | undefined
}

const BLOCK_SIZE = 8
const PARALLELISM = 1
const SALT_BYTES = 16
const HASH_BYTES = 32
const DEFAULT_COST_LOG2 = 15
/** Someone who can write to the storage must not make a check take more than 128 MiB. */
const HIGHEST_COST_LOG2 = 17

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=8,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/**
 * scrypt (RFC 7914) with N = 2^15, r = 8 and p = 1, as `$scrypt$ln=15,r=8,p=1$<salt>$<hash>` in base64 without padding. It
 * normalizes a password first (NFKC), so that it does not matter how a keyboard composes letters.
 * `hash` and `verify` reject with `SERVICE_UNAVAILABLE` when too many wait already.
 */
export function createScryptHasher(options: ScryptHasherOptions): PasswordHasher {
  const { random, costLog2 = DEFAULT_COST_LOG2, atOnce = 2, mostWaiting = 100 } = options
  const limiter = createConcurrencyLimiter({ atOnce, mostWaiting })
  const derive = (password: string, salt: Uint8Array, log2: number): Promise<Buffer> =>
    derived(limiter, password, salt, log2)

  return {
    decoy: toStored(costLog2, random.bytes(SALT_BYTES), random.bytes(HASH_BYTES)),
    async hash(password) {
      const salt = random.bytes(SALT_BYTES)
      return toStored(costLog2, salt, await derive(password, salt, costLog2))
    },
    async verify(password, stored) {
      const [, log2, salt, hash] = STORED.exec(stored) ?? []
      if (log2 === undefined || salt === undefined || hash === undefined) return false
      if (Number(log2) < 1 || Number(log2) > HIGHEST_COST_LOG2) return false
      const found = await derive(password, Buffer.from(salt, 'base64'), Number(log2))
      return timingSafeEqual(found, Buffer.from(hash, 'base64'))
    },
  }
}

function derived(
  limiter: ConcurrencyLimiter,
  password: string,
  salt: Uint8Array,
  costLog2: number,
): Promise<Buffer> {
  const cost = 2 ** costLog2
  // Node refuses a bound that is exactly what scrypt needs.
  const maxmem = 128 * BLOCK_SIZE * (cost + PARALLELISM) * 2
  const settings: ScryptOptions = { cost, blockSize: BLOCK_SIZE, parallelization: PARALLELISM, maxmem }
  return limiter.run(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, settings, (error, key) =>
          error === null ? resolve(key) : reject(error),
        )
      }),
  )
}

function toStored(costLog2: number, salt: Uint8Array, hash: Uint8Array): string {
  return `$scrypt$ln=${costLog2},r=${BLOCK_SIZE},p=${PARALLELISM}$${toBase64(salt)}$${toBase64(hash)}`
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

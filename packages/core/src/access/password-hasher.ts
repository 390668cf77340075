import { scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { systemRandom, type Random } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** Hashes passwords for storage. Slow on purpose. */
export interface PasswordHasher {
  /** A salted text that names its algorithm and cost. The same password twice gives two texts. */
  hash(password: string): Promise<string>
  /**
   * Whether `stored` was made from `password`. False for text that isn't a hash of this kind. Should take as long for a wrong password
   * whatever `stored` is, even for the decoy and for hashes of an earlier cost. Otherwise, the time of a wrong login reveals whether its
   * address has a user.
   */
  verify(password: string, stored: string): Promise<boolean>
  /** Text that no password matches. Verifying it costs as much as verifying any hash with a wrong password. */
  readonly decoy: string
  /** Whether `stored` is of a lower cost than `hash` has now. The next right login then stores a new hash. Default: never. */
  isOutdated?(stored: string): boolean
}

interface ScryptHasherOptions {
  readonly random: Random
  /** The binary logarithm of scrypt's N; default 15, with which a hash takes 32 MiB. */
  readonly costLog2?: number | undefined
}

interface Cost {
  readonly log2: number
  readonly parallelization: number
}

const BLOCK_SIZE = 8
const PARALLELISM = 3
const SALT_BYTES = 16
const HASH_BYTES = 32
const DEFAULT_COST_LOG2 = 15
/** Someone who can write to the storage must not make a check take more than 128 MiB. */
const HIGHEST_COST_LOG2 = 17

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=8,p=([1-3])\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/**
 * scrypt (RFC 7914) with N = 2^15, r = 8 and p = 3, as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>` in base64 without padding. It
 * normalizes a password first (NFKC), so that it doesn't matter how a keyboard composes letters.
 */
export function createScryptHasher(options: ScryptHasherOptions): PasswordHasher {
  const { random, costLog2 = DEFAULT_COST_LOG2 } = options
  /** The highest cost of the checked hashes, which can come from other processes. */
  let highest: Cost = { log2: costLog2, parallelization: PARALLELISM }

  return {
    decoy: toStored(costLog2, random.bytes(SALT_BYTES), random.bytes(HASH_BYTES)),
    async hash(password) {
      const salt = random.bytes(SALT_BYTES)
      return toStored(
        costLog2,
        salt,
        await derived(password, salt, { log2: costLog2, parallelization: PARALLELISM }),
      )
    },
    async verify(password, stored) {
      const parts = partsOf(stored)
      if (parts === null) return false
      if (parts.log2 > highest.log2) highest = { ...highest, log2: parts.log2 }
      const found = await derived(password, parts.salt, parts)
      if (timingSafeEqual(found, parts.hash)) return true
      for (const cost of costsBetween(parts, highest)) await derived(password, parts.salt, cost)
      return false
    },
    isOutdated(stored) {
      const parts = partsOf(stored)
      return parts !== null && (parts.log2 < costLog2 || parts.parallelization < PARALLELISM)
    },
  }
}

/** The parameters of a hash; null for a text that isn't a hash, or whose cost is beyond the bounds. */
function partsOf(stored: string) {
  const [, log2, parallelization, salt, hash] = STORED.exec(stored) ?? []
  if (log2 === undefined || salt === undefined || hash === undefined) return null
  if (Number(log2) < 1 || Number(log2) > HIGHEST_COST_LOG2) return null
  return {
    log2: Number(log2),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

/** The remaining work of a higher cost after the work of a lower one: each step doubles it. */
function costsBetween({ log2, parallelization }: Cost, highest: Cost): readonly Cost[] {
  const wider = highest.parallelization - parallelization
  const doubled = Array.from({ length: Math.max(0, highest.log2 - log2) }, (_, step) => ({
    log2: log2 + step,
    parallelization: highest.parallelization,
  }))
  return wider > 0 ? [{ log2, parallelization: wider }, ...doubled] : doubled
}

function derived(password: string, salt: Uint8Array, { log2, parallelization }: Cost): Promise<Buffer> {
  const cost = 2 ** log2
  // Node refuses a bound that is exactly what scrypt needs.
  const maxmem = 128 * BLOCK_SIZE * (cost + parallelization) * 2
  const settings: ScryptOptions = { cost, blockSize: BLOCK_SIZE, parallelization, maxmem }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, settings, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}

/**
 * Taskboard's own hasher, scrypt with N = 2^15, r = 8 and p = 3, or a larger N, with which hashes take more memory and time. Passwords that were
 * hashed with less are hashed again at the next login.
 * @param options `costLog2` is the binary logarithm of N, 15 to 17: 32, 64 or 128 MiB for each of two hashes at the same time.
 * @throws TaskboardError `INVALID_CONFIG` (`costLog2`, or the name of an unknown option).
 * @example
 * ```ts
 * import { createTaskboard, passwordHasher } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), passwordHasher: passwordHasher({ costLog2: 17 }) })
 * await taskboard.close()
 * ```
 */
export function passwordHasher(options: { readonly costLog2?: number | undefined } = {}): PasswordHasher {
  const unknown = Object.keys(options).find((name) => name !== 'costLog2')
  if (unknown !== undefined) {
    throw new TaskboardError('INVALID_CONFIG', `${unknown} is not an option`, { field: unknown })
  }
  const { costLog2 } = options
  const isFine =
    costLog2 === undefined ||
    (Number.isInteger(costLog2) && costLog2 >= DEFAULT_COST_LOG2 && costLog2 <= HIGHEST_COST_LOG2)
  if (isFine) return createScryptHasher({ random: systemRandom, costLog2 })
  const rule = `must be a whole number from ${DEFAULT_COST_LOG2} to ${HIGHEST_COST_LOG2}`
  throw new TaskboardError('INVALID_CONFIG', `costLog2 ${rule}`, { field: 'costLog2' })
}

function toStored(costLog2: number, salt: Uint8Array, hash: Uint8Array): string {
  return `$scrypt$ln=${costLog2},r=${BLOCK_SIZE},p=${PARALLELISM}$${toBase64(salt)}$${toBase64(hash)}`
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

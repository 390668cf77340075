import { systemClock, type Clock } from './clock.js'
import { systemRandom, type Random } from './random.js'

/** The kinds of thing that carry an id, as the prefix of that id. */
export type IdPrefix = 'task' | 'agent' | 'ws' | 'acct' | 'ak' | 'wh' | 'evt' | 'log' | 'user'

/**
 * Makes ids: a prefix and 128 bits in 26 lower-case characters (Crockford's base 32, as in ULID). The first 48 bits are
 * the time in milliseconds and the next 16 count within one, so that ids made later by one maker sort later; the last
 * 64 are random, so that no id can be guessed from another.
 */
export type NewId = (prefix: IdPrefix) => string

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const COUNTERS_PER_MS = 2 ** 16
const POOL_IDS = 128
const RANDOM_BYTES = 8

/** An id maker on a clock and a source of randomness. */
export function createNewId(clock: Clock = systemClock, random: Random = systemRandom): NewId {
  let ms = -1
  let counter = 0
  let head = ''
  let pool = random.bytes(0)
  let used = 0

  return (prefix) => {
    const now = clock.now()
    if (now > ms) {
      ms = now
      counter = 0
      head = encodeTime(ms)
    } else if (++counter === COUNTERS_PER_MS) {
      ms += 1
      counter = 0
      head = encodeTime(ms)
    }
    if (used + RANDOM_BYTES > pool.length) {
      pool = random.bytes(POOL_IDS * RANDOM_BYTES)
      used = 0
    }
    const tail = encodeTail(counter, pool, used)
    used += RANDOM_BYTES
    return `${prefix}_${head}${tail}`
  }
}

/** 48 bits of time in ten characters, two zero bits in front. */
function encodeTime(ms: number): string {
  let rest = ms
  let text = ''
  for (let i = 0; i < 10; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** 16 bits of counter and 64 random ones in sixteen characters. */
function encodeTail(counter: number, pool: Uint8Array, offset: number): string {
  const byte = (index: number): number => pool[offset + index] as number
  const high = counter * 2 ** 24 + ((byte(0) << 16) | (byte(1) << 8) | byte(2))
  const low = byte(3) * 2 ** 32 + (((byte(4) << 24) | (byte(5) << 16) | (byte(6) << 8) | byte(7)) >>> 0)
  return encodeForty(high) + encodeForty(low)
}

function encodeForty(value: number): string {
  const upper = Math.floor(value / 2 ** 20)
  const lower = value % 2 ** 20
  return encodeTwenty(upper) + encodeTwenty(lower)
}

function encodeTwenty(value: number): string {
  return (
    ALPHABET.charAt(value >>> 15) +
    ALPHABET.charAt((value >>> 10) & 31) +
    ALPHABET.charAt((value >>> 5) & 31) +
    ALPHABET.charAt(value & 31)
  )
}

import { systemClock, type Clock } from './clock.js'
import { systemRandom, type Random } from './random.js'

/** The kinds of thing that have an id, as the prefix of that id. */
export type IdPrefix =
  | 'task'
  | 'cmt'
  | 'apr'
  | 'agent'
  | 'ws'
  | 'acct'
  | 'ak'
  | 'wh'
  | 'nch'
  | 'evt'
  | 'log'
  | 'user'
  | 'inv'
  | 'ses'
  | 'req'
  | 'conn'
  | 'proc'
  | 'sch'
  | 'use'
  | 'aud'
  | 'lnk'
  | 'mln'
  | 'mlc'
  | 'mcv'
  | 'mms'

/**
 * Makes ids: a prefix and 128 bits in 26 lower-case characters (Crockford's base 32, as in ULID). The first 48 bits are
 * the time in milliseconds and the next 16 count within one, so that later ids of one maker sort later. The last
 * 64 are random, so that no id can be guessed from another.
 */
export type NewId = (prefix: IdPrefix) => string

/** ASCII codes of the 32 digits. */
const DIGITS = Uint8Array.from('0123456789abcdefghjkmnpqrstvwxyz', (digit) => digit.charCodeAt(0))
const TIME_DIGITS = 10
const COUNTERS_PER_MS = 2 ** 16
const POOL_IDS = 128
const RANDOM_BYTES = 8

/** An id under construction, as bytes: one flat string of them costs half as much as joined pieces. */
interface Draft {
  readonly bytes: Buffer
  /** The index of the first digit. */
  readonly start: number
  /** The time in the digits. */
  ms: number
}

/**
 * An id maker on a clock and a source of randomness.
 * @example
 * ```ts
 * import { createNewId } from '@taskboard/core/storage'
 *
 * const newId = createNewId()
 * const [first, second] = [newId('task'), newId('task')]
 * console.log(first.length, first < second) // 31 true
 * ```
 */
export function createNewId(clock: Clock = systemClock, random: Random = systemRandom): NewId {
  const drafts = new Map<IdPrefix, Draft>()
  let ms = -1
  let counter = 0
  let pool = random.bytes(0)
  let used = 0

  return (prefix) => {
    const now = clock.now()
    if (now > ms) {
      ms = now
      counter = 0
    } else if (++counter === COUNTERS_PER_MS) {
      ms += 1
      counter = 0
    }
    if (used + RANDOM_BYTES > pool.length) {
      pool = random.bytes(POOL_IDS * RANDOM_BYTES)
      used = 0
    }
    let draft = drafts.get(prefix)
    if (draft === undefined) drafts.set(prefix, (draft = createDraft(prefix)))
    if (draft.ms !== ms) writeTime(draft, ms)
    writeTail(draft, counter, pool, used)
    used += RANDOM_BYTES
    return draft.bytes.toString('latin1')
  }
}

function createDraft(prefix: IdPrefix): Draft {
  const bytes = Buffer.from(`${prefix}_${'0'.repeat(26)}`, 'latin1')
  return { bytes, start: prefix.length + 1, ms: -1 }
}

/** 48 bits of time in ten digits, two leading zero bits. Bitwise operators see 32 bits at most, so the time is split at twenty. */
function writeTime(draft: Draft, ms: number): void {
  const { bytes, start } = draft
  const high = Math.floor(ms / 2 ** 20)
  bytes[start] = DIGITS[(high >>> 25) & 31] as number
  bytes[start + 1] = DIGITS[(high >>> 20) & 31] as number
  writeTwenty(bytes, start + 2, high & 0xfffff)
  writeTwenty(bytes, start + 6, ms - high * 2 ** 20)
  draft.ms = ms
}

/** 16 bits of counter and 64 random bits in sixteen digits, twenty bits at a time. */
function writeTail({ bytes, start }: Draft, counter: number, pool: Uint8Array, offset: number): void {
  const byte = (index: number): number => pool[offset + index] as number
  const first = start + TIME_DIGITS
  writeTwenty(bytes, first, (counter << 4) | (byte(0) >>> 4))
  writeTwenty(bytes, first + 4, ((byte(0) & 15) << 16) | (byte(1) << 8) | byte(2))
  writeTwenty(bytes, first + 8, (byte(3) << 12) | (byte(4) << 4) | (byte(5) >>> 4))
  writeTwenty(bytes, first + 12, ((byte(5) & 15) << 16) | (byte(6) << 8) | byte(7))
}

function writeTwenty(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = DIGITS[value >>> 15] as number
  bytes[at + 1] = DIGITS[(value >>> 10) & 31] as number
  bytes[at + 2] = DIGITS[(value >>> 5) & 31] as number
  bytes[at + 3] = DIGITS[value & 31] as number
}

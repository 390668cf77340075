import { createHash } from 'node:crypto'
import { TaskboardError } from '../errors/index.js'

const DEEPEST = 16
const MOST_VALUES = 20_000

/**
 * The SHA-256, in hexadecimal, of a JSON value, independent of the order of keys. Undefined members count as absent. `field` is the one that
 * an error names; without it, the value is the body of a request.
 * @throws TaskboardError `INVALID_FIELD` for a value that is nested more than 16 levels deep, or has more than 20,000 values.
 */
export function requestFingerprint(value: unknown, field?: string): string {
  return createHash('sha256')
    .update(canonicalText(value, 0, { left: MOST_VALUES, field }))
    .digest('hex')
}

interface Walk {
  /** How many more values there may be. */
  left: number
  readonly field: string | undefined
}

function canonicalText(value: unknown, depth: number, walk: Walk): string {
  walk.left -= 1
  if (walk.left < 0) throw tooMany(walk)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth === DEEPEST) throw refused(walk, `is nested more than ${DEEPEST} levels deep`)
  // Before members are sorted, which takes longer than to parse them.
  if (!hasAtMost(value, walk.left)) throw tooMany(walk)
  if (Array.isArray(value))
    return `[${value.map((entry) => canonicalText(entry, depth + 1, walk)).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member, depth + 1, walk)}`)
  return `{${members.join(',')}}`
}

/** Whether a list or an object has at most `most` entries. Doesn't read their values. */
function hasAtMost(value: object, most: number): boolean {
  if (Array.isArray(value)) return value.length <= most
  let count = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    count += 1
    if (count > most) return false
  }
  return true
}

function tooMany(walk: Walk): TaskboardError {
  return refused(walk, 'has more than 20,000 values')
}

function refused({ field }: Walk, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field ?? 'the body'} ${rule}`, { field })
}

/**
 * A caller's promise that a create is the same as before. It is recorded in the create's transaction and kept for 24 hours. A
 * concurrent repeat waits for the first create to commit or fail.
 */
export interface IdempotencyClaim {
  /** The owner of the key and the operation: the principal's id and the route. */
  readonly scope: string
  /** The caller's `Idempotency-Key`, 1 to 255 visible ASCII characters. */
  readonly key: string
  /** A digest of the request. The same key with another digest is rejected with `CONFLICT`. */
  readonly fingerprint: string
}

/**
 * A claim of a create that may have a secret in it, as the storage keeps it. Anyone who reads the storage can't check guesses at the
 * secret by the fingerprint.
 */
export function sealedClaim(
  secrets: { readonly digest: (text: string) => string },
  claim: IdempotencyClaim | undefined,
): IdempotencyClaim | null {
  return claim === undefined ? null : { ...claim, fingerprint: secrets.digest(claim.fingerprint) }
}

/** The result of a create. */
export interface Created<T> {
  readonly value: T
  /** True when an earlier create with the same idempotency key made it; `value` is then as first created. */
  readonly replayed: boolean
}

/** How long a key is kept. */
export const idempotencyRetentionMs = 86_400_000

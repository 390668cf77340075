import { createHash } from 'node:crypto'
import { TaskboardError } from '../errors/index.js'

const DEEPEST = 16
const MOST_VALUES = 20_000

/**
 * The SHA-256, in hexadecimal, of a JSON value, independent of the order of keys. Undefined members count as absent.
 * @throws TaskboardError `INVALID_FIELD` for a value that is nested more than 16 levels deep, or has more than 20,000 values.
 */
export function requestFingerprint(value: unknown): string {
  return createHash('sha256')
    .update(canonicalText(value, 0, { left: MOST_VALUES }))
    .digest('hex')
}

function canonicalText(value: unknown, depth: number, values: { left: number }): string {
  values.left -= 1
  if (values.left < 0) throw new TaskboardError('INVALID_FIELD', 'the body has more than 20,000 values')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth === DEEPEST)
    throw new TaskboardError('INVALID_FIELD', 'the body is nested more than 16 levels deep')
  if (Array.isArray(value))
    return `[${value.map((entry) => canonicalText(entry, depth + 1, values)).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member, depth + 1, values)}`)
  return `{${members.join(',')}}`
}

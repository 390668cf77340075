import { isStorableText, TaskboardError } from '../errors/index.js'

const DEEPEST_LEVEL = 32
const MOST_BYTES = 65_536

/**
 * Copies a host's object as plain JSON: objects without a class, arrays, text without NUL and unpaired surrogates, finite numbers,
 * booleans and null. Leaves out undefined properties, as JSON does. At most 32 levels deep and 64 KiB as JSON text. The copy is frozen,
 * so that the checked value is the stored one.
 * @throws TaskboardError `INVALID_FIELD` for `field`, with the path of the invalid value.
 */
export function plainJsonObject(value: unknown, field: string): Readonly<Record<string, unknown>> {
  const walk: Walk = { field, roomLeft: MOST_BYTES }
  if (!isPlainObject(value)) throw refused(walk, field, 'must be a plain JSON object')
  const copy = copyObject(value, field, 1, walk)
  if (new TextEncoder().encode(JSON.stringify(copy)).length > MOST_BYTES) throw tooLarge(walk)
  return copy
}

/**
 * The same for any JSON value.
 * @throws TaskboardError `INVALID_FIELD` for `field`, with the path of the invalid value.
 */
export function plainJson(value: unknown, field: string): unknown {
  const walk: Walk = { field, roomLeft: MOST_BYTES }
  const copy = copyValue(value, field, 0, walk)
  if (new TextEncoder().encode(JSON.stringify(copy)).length > MOST_BYTES) throw tooLarge(walk)
  return copy
}

interface Walk {
  readonly field: string
  /** A lower bound is enough: it stops the walk through an oversized value. The exact size is checked afterward. */
  roomLeft: number
}

function copyValue(value: unknown, path: string, level: number, walk: Walk): unknown {
  walk.roomLeft -= 1
  if (walk.roomLeft < 0) throw tooLarge(walk)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return checkText(value, path, walk)
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (Array.isArray(value)) return copyArray(value, path, level + 1, walk)
  if (isPlainObject(value)) return copyObject(value, path, level + 1, walk)
  throw refused(walk, path, 'is not plain JSON')
}

function copyArray(items: readonly unknown[], path: string, level: number, walk: Walk): readonly unknown[] {
  checkLevel(level, path, walk)
  if (items.length > walk.roomLeft) throw tooLarge(walk)
  return Object.freeze(Array.from(items, (item, index) => copyValue(item, `${path}.${index}`, level, walk)))
}

function copyObject(
  object: Readonly<Record<string, unknown>>,
  path: string,
  level: number,
  walk: Walk,
): Readonly<Record<string, unknown>> {
  checkLevel(level, path, walk)
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    if (key === '__proto__') throw refused(walk, path, 'must not have a property __proto__')
    checkText(key, path, walk)
    copy[key] = copyValue(value, `${path}.${key}`, level, walk)
  }
  return Object.freeze(copy)
}

function checkLevel(level: number, path: string, walk: Walk): void {
  if (level > DEEPEST_LEVEL)
    throw refused(walk, path.slice(0, 80), `is more than ${DEEPEST_LEVEL} levels deep`)
}

function checkText(text: string, path: string, walk: Walk): string {
  walk.roomLeft -= text.length
  if (walk.roomLeft < 0) throw tooLarge(walk)
  if (isStorableText(text)) return text
  throw refused(walk, path, 'must not contain NUL or unpaired surrogates')
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function refused(walk: Walk, path: string, why: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${path} ${why}`, { field: walk.field })
}

function tooLarge(walk: Walk): TaskboardError {
  return refused(walk, walk.field, `must have at most ${MOST_BYTES} bytes as JSON`)
}

import { priorities, type Column, type Priority } from '@taskboard/core'
import { withoutEnd } from './without-end.js'
import { isCalendarDate } from './checklist.js'

/** A request in a chat message. */
export type ChatCommand =
  | {
      readonly kind: 'add'
      readonly title: string
      readonly description: string | null
      readonly priority: Priority | null
      readonly dueDate: number | null
      readonly tags: readonly string[]
    }
  | { readonly kind: 'list'; readonly column: Column }
  | { readonly kind: 'status' }
  /** The result of the named task, or of the one that was completed last. */
  | { readonly kind: 'result'; readonly taskId: string | null }
  | { readonly kind: 'help' }
  /** A known request that can't be carried out as it is written. */
  | { readonly kind: 'unclear'; readonly problem: string }
  | { readonly kind: 'unknown' }

interface Modifiers {
  priority: Priority | null
  dueDate: number | null
  readonly tags: string[]
  problem: string | null
}

const POLITE = /^(?:(?:please|pls|hi|hello|hey|can you|could you|would you)\b[\s,!]*)+/i
const ADD =
  /^(?:(?:add|create)(?:\s+a(?:\s+new)?\s+task(?:\s+to\b)?|(?:\s+new)?\s+task(?=\s*:))?|new\s+task)\b[\s:]*/i
const LIST =
  /^(?:list|show)(?:\s+me)?(?:\s+(?:the|all))?(?:\s+tasks)?(?:\s+in)?(?:\s+(todo|doing|done))?(?:\s+tasks)?$/i
const STATUS = /^(?:status|how is it going|how are things|what are you doing)$/i
const RESULT = /^(?:show\s+)?(?:the\s+)?(?:last\s+)?results?(?:\s+(?:of\s+)?(task_[0-9a-z]{1,59}))?$/i
const HELP = /^(?:help|what can (?:you|i) do|commands|\?)$/i
const PRIORITY = new RegExp(`^(?:priority\\s+)?(${priorities.join('|')})(?:\\s+priority)?$`, 'i')
const DUE = /^due\s+(\S.*)$/is
const TAG = /^#([\p{L}\p{N}_-]{1,50})$/u

/** Reads a message in plain English at `now`. Lines after an `add` are the new task's description. */
export function parseChat(message: string, now: number): ChatCommand {
  const [head = '', ...more] = message.trim().split(/\r?\n/)
  const text = stripPolite(head.trim())
  const plain = withoutEnd(text, /[.!?\s]/)
  if (ADD.test(text)) return parseAdd(text.replace(ADD, ''), more.join('\n').trim(), now)
  const list = LIST.exec(plain)
  if (list !== null) return { kind: 'list', column: (list[1]?.toUpperCase() ?? 'TODO') as Column }
  if (STATUS.test(plain)) return { kind: 'status' }
  const result = RESULT.exec(plain)
  if (result !== null) return { kind: 'result', taskId: result[1]?.toLowerCase() ?? null }
  if (HELP.test(plain) || text === '?') return { kind: 'help' }
  return { kind: 'unknown' }
}

function stripPolite(text: string): string {
  const stripped = text.replace(POLITE, '')
  return stripped === '' ? text : stripped
}

/** The title, then modifiers after commas, read from the end. The first part that isn't a modifier belongs to the title. */
function parseAdd(text: string, description: string, now: number): ChatCommand {
  const parts = text.split(',').map((part) => part.trim())
  const modifiers: Modifiers = { priority: null, dueDate: null, tags: [], problem: null }
  while (parts.length > 1 && takeModifier(parts.at(-1) ?? '', modifiers, now)) parts.pop()
  const { priority, dueDate, problem, tags } = modifiers
  const title = parts.join(', ')
  if (problem !== null) return { kind: 'unclear', problem }
  if (title === '') return { kind: 'unclear', problem: 'a task needs a title' }
  return { kind: 'add', title, description: description || null, priority, dueDate, tags: tags.reverse() }
}

function takeModifier(part: string, modifiers: Modifiers, now: number): boolean {
  const priority = PRIORITY.exec(part)?.[1]
  const due = DUE.exec(part)?.[1]
  const tag = TAG.exec(part)?.[1]
  if (priority !== undefined) modifiers.priority = priority.toLowerCase() as Priority
  else if (tag !== undefined) modifiers.tags.push(tag)
  else if (due !== undefined) {
    modifiers.dueDate = parseDueDate(due, now)
    if (modifiers.dueDate === null) modifiers.problem = `"${due}" is not a date that I know`
  } else return part === ''
  return true
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const UNIT_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }
const IN_UNITS = /^in (\d{1,3}|an?) (hour|day|week)s?$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})$/

/**
 * The instant that a plain phrase means at `now`: `today`, `tomorrow`, a weekday (the next one, never today), `in 3 days` or `2026-12-01`.
 * A time with `Z` or an offset works as well. A day means its end in UTC. Null for anything else.
 */
export function parseDueDate(phrase: string, now: number): number | null {
  const text = phrase
    .trim()
    .toLowerCase()
    .replace(/^(?:on|by|next)\s+/, '')
  if (text === 'today') return endOfDay(now)
  if (text === 'tomorrow') return endOfDay(now + DAY_MS)
  const weekday = WEEKDAYS.indexOf(text)
  if (weekday >= 0) return endOfDay(now + daysUntil(weekday, now) * DAY_MS)
  const [, amount, unit] = IN_UNITS.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) {
    const distanceMs = (amount.startsWith('a') ? 1 : Number(amount)) * (UNIT_MS[unit] ?? 0)
    return unit === 'hour' ? now + distanceMs : endOfDay(now + distanceMs)
  }
  if (!isCalendarDate(text.slice(0, 10))) return null
  if (text.length === 10) return endOfDay(Date.parse(text))
  const at = ISO_TIME.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function endOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS + DAY_MS - 1
}

/** 1 to 7. */
function daysUntil(weekday: number, now: number): number {
  return ((weekday - new Date(now).getUTCDay() + 6) % 7) + 1
}

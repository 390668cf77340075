import { withoutEnd } from './without-end.js'

/** One line of a checklist. */
export type Step =
  /** Ticked off before the run. */
  | { readonly kind: 'ticked'; readonly text: string }
  /** To be read and reported on. */
  | { readonly kind: 'item'; readonly text: string }
  | { readonly kind: 'wait'; readonly text: string; readonly waitMs: number }
  /** Waits for a person. */
  | { readonly kind: 'question'; readonly text: string }
  /** Alerts people immediately. */
  | { readonly kind: 'alert'; readonly text: string }
  /** Asks people. `?` is in front of it. */
  | { readonly kind: 'ask'; readonly text: string }
  /** To be done once a person has approved it. `!` is in front of it. */
  | { readonly kind: 'approval'; readonly text: string }
  /** A task for an agent, whose result is waited for. `+` is in front of it. */
  | { readonly kind: 'subtask'; readonly text: string }

/** What is found in the text of a line. */
export interface LineFacts {
  readonly words: number
  readonly links: readonly string[]
  /** ISO dates that exist in the calendar. */
  readonly dates: readonly string[]
  /** As written, without those that are part of a date or a link. */
  readonly numbers: readonly string[]
}

const MARKER = /^(?:[-*]|\d{1,4}[.)])\s+/
const BOX = /^\[([ xX])\](?:\s+|$)/
/** A number such as +49 isn't a sign. */
const SIGN = /^([?!]|\+(?!\d))\s*(\S.*)$/s
const SIGNS: Readonly<Record<string, 'ask' | 'approval' | 'subtask'>> = {
  '?': 'ask',
  '!': 'approval',
  '+': 'subtask',
}
const QUESTION = /^(?:blocked|needs input)\s*:\s*(\S.*)$/is
const ALERT = /^alert\s*:\s*(\S.*)$/is
const WAIT = /^wait\s+(\d{1,6}(?:\.\d{1,3})?)\s*(ms|s|m|min)$/i
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000 }
const LINK = /https?:\/\/[^\s<>"')\]]+/g
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g
const NUMBER = /(?<![\w.,])-?\d+(?:[.,]\d+)*%?(?!\w)/g
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}'’.@_-]|,(?=\d))*/gu

/** Reads a task's description line by line. Blank lines aren't steps. */
export function parseChecklist(description: string): readonly Step[] {
  return description
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(toStep)
}

function toStep(line: string): Step {
  const unmarked = line.replace(MARKER, '')
  const box = BOX.exec(unmarked)
  const text = unmarked.replace(BOX, '').trim()
  if (box !== null && box[1] !== ' ') return { kind: 'ticked', text }
  const [, sign = '', signed = ''] = SIGN.exec(text) ?? []
  const kind = SIGNS[sign]
  if (kind !== undefined) return { kind, text: signed }
  const question = QUESTION.exec(text)?.[1]
  if (question !== undefined) return { kind: 'question', text: question }
  const alert = ALERT.exec(text)?.[1]
  if (alert !== undefined) return { kind: 'alert', text: alert }
  const [, amount, unit] = WAIT.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) {
    return { kind: 'wait', text, waitMs: Math.round(Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0)) }
  }
  return { kind: 'item', text }
}

/** Counts and extracts the parts of a line. Pure: it looks nothing up. */
export function readLine(text: string): LineFacts {
  const links = (text.match(LINK) ?? []).map((link) => withoutEnd(link, /[.,;:!?]/))
  const withoutLinks = text.replace(LINK, ' ')
  const written = withoutLinks.match(DATE) ?? []
  return {
    words: (text.replace(LINK, ' link ').match(WORD) ?? []).length,
    links,
    dates: written.filter(isCalendarDate),
    numbers: withoutLinks.replace(DATE, ' ').match(NUMBER) ?? [],
  }
}

/** Whether `YYYY-MM-DD` names a day that exists. */
export function isCalendarDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

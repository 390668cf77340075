import type { AddTaskLogLineBody, AddTaskOutputBody, ReportTaskUsageBody } from '@taskboard/client'

type Without<Body> = Omit<Body, 'fencing_token' | 'lease_s'>

/** What a line on descriptor 3 says. */
export type Report =
  | { readonly kind: 'progress'; readonly percent: number }
  | {
      readonly kind: 'log'
      readonly message: string
      readonly level: NonNullable<AddTaskLogLineBody['level']>
    }
  | { readonly kind: 'output'; readonly output: Without<AddTaskOutputBody> }
  | { readonly kind: 'usage'; readonly usage: Without<ReportTaskUsageBody> }
  | { readonly kind: 'ask'; readonly question: string }

const LONGEST_MESSAGE = 2_000
const levels = ['debug', 'info', 'warn', 'error'] as const

/**
 * Reads a line. A number, with or without `%`, is the progress. A JSON object has `progress`, `log` (and `level`), `output`, `usage` or
 * `ask`. Anything else is a line of the log. Null for an empty line.
 */
export function parseReport(line: string): Report | null {
  const text = line.trim()
  if (text === '') return null
  if (/^\d{1,3}(\.\d+)?\s*%?$/.test(text))
    return { kind: 'progress', percent: clamp(Number.parseFloat(text)) }
  return (text.startsWith('{') ? parseObject(text) : null) ?? logOf(text, 'info')
}

function parseObject(text: string): Report | null {
  let value: Readonly<Record<string, unknown>>
  try {
    value = JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return null
  }
  const { progress, log, level, output, usage, ask } = value
  if (typeof progress === 'number') return { kind: 'progress', percent: clamp(progress) }
  if (typeof log === 'string' && log !== '')
    return logOf(log, levels.find((known) => known === level) ?? 'info')
  if (isObject(output)) return { kind: 'output', output: output as unknown as Without<AddTaskOutputBody> }
  if (isObject(usage)) return { kind: 'usage', usage: usage as unknown as Without<ReportTaskUsageBody> }
  return typeof ask === 'string' && ask !== '' ? { kind: 'ask', question: ask } : null
}

const logOf = (message: string, level: (typeof levels)[number]): Report => ({
  kind: 'log',
  message: message.slice(0, LONGEST_MESSAGE),
  level,
})
const clamp = (percent: number): number => Math.min(100, Math.max(0, percent))
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

import { TaskFailure } from './task-failure.js'

const LONGEST_REASON = 2_000

/** The result for a returned value. One that cannot be JSON fails the task for good: a retry would return the same. */
export function toResult(value: unknown): string {
  if (typeof value === 'string') return value
  if (value == null) return ''
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new TaskFailure(`the result cannot be written as JSON: ${messageOf(cause)}`)
  }
  if (text !== undefined) return text
  throw new TaskFailure(`the result is a ${typeof value}, which cannot be written as JSON`)
}

/** What an agent throws is any value. */
export function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : thrown
    if (typeof text === 'string' && text !== '') return storable(text.slice(0, LONGEST_REASON))
  } catch {
    // Reading a thrown value may throw.
  }
  return 'the agent threw something that is not an error'
}

function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(/[\uD800-\uDBFF]$/, '')
}

import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a valid date',
}

/**
 * The rule that a schema's issue names, to follow the name of a value: `must be a whole number`. For schemas without texts of their
 * own.
 */
export function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${KINDS[issue.expected] ?? 'something else'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', Number(issue.maximum))}`
    case 'unrecognized_keys':
      return 'has unknown fields'
    case 'invalid_key':
      return 'has a name that is not valid'
    default:
      return 'is not valid'
  }
}

function sizeOf(origin: string, bound: 'at least' | 'at most', count: number): string {
  if (origin === 'string') return `have ${bound} ${count} ${count === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set')
    return `have ${bound} ${count} ${count === 1 ? 'entry' : 'entries'}`
  return `be ${bound} ${count}`
}

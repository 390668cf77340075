import { createHash } from 'node:crypto'

/** One numbered step of the schema. A released step never changes: a later one corrects its errors. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** The name of a migration for people: `0001_board`. */
export function titleOf({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}_${name}`
}

/** The stored digest of a migration's text, which detects later changes: SHA-256 in hexadecimal. */
export function digestOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}

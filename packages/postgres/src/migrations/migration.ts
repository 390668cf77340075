import { createHash } from 'node:crypto'

/** One numbered step of the schema. Once released it never changes: what is wrong with it is put right by a later one. */
export interface Migration {
  /** 1 and up, without a gap. */
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** A migration as it is named to people: `0001_board`. */
export function titleOf({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}_${name}`
}

/** What is remembered of a migration's text, to notice that it was altered afterwards: SHA-256 in hexadecimal. */
export function digestOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}

import { createHash } from 'node:crypto'

/** One numbered step of the schema. A released step never changes: a later one corrects its errors. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** The name of a migration for people: `0001_schema`. */
export function titleOf({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}_${name}`
}

/** The fault of an applied migration that isn't the one that the library knows by its number; undefined when it is the same. */
export function differenceOf(
  applied: Pick<Migration, 'number' | 'name'> & { readonly digest: string },
  known: Migration,
): string | undefined {
  if (applied.name !== known.name) {
    return `the database has migration ${titleOf(applied)} where this version of @taskboard/postgres has ${titleOf(known)}, and cannot be upgraded: create a new database, and run migrate(pool) on it`
  }
  return applied.digest === digestOf(known)
    ? undefined
    : `migration ${titleOf(known)} was applied to the database with another text than this version of @taskboard/postgres has`
}

/** The stored digest of a migration's text, which detects later changes: SHA-256 in hexadecimal. */
export function digestOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}

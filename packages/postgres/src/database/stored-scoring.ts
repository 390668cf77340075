import type { Scoring } from '@taskboard/core'
import type { PgQueryable } from '../connection/pool.js'

/** The numbers of a scoring, by the columns of `taskboard.scoring`. */
export function scoringColumns(scoring: Scoring): Readonly<Record<string, number>> {
  const numbers = Object.entries(scoring).filter(([, value]) => typeof value === 'number')
  return Object.fromEntries(
    numbers.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}

/** The statement that stores a scoring if there is none. It has no parameters: all of its values are integers. */
export function scoringInsert(scoring: Scoring): string {
  const columns = scoringColumns(scoring)
  return `insert into taskboard.scoring (${Object.keys(columns).join(', ')})
values (${Object.values(columns).map(String).join(', ')})
on conflict do nothing`
}

/**
 * Stores the scoring if that changes no order: when none is stored, or when there are no tasks yet. Returns whether it is now
 * the stored one, and all keys use it.
 */
export async function adoptScoring(connection: PgQueryable, scoring: Scoring): Promise<boolean> {
  const columns = scoringColumns(scoring)
  const names = Object.keys(columns)
  await connection.query({ text: scoringInsert(scoring), values: [] })
  const places = names.map((_, index) => `$${index + 1}::bigint`).join(', ')
  const { rows } = await connection.query({
    text: `with adopted as (
        update taskboard.scoring set (${names.join(', ')}, rescoring) = (${places}, null)
        where not exists (select from taskboard.task) returning only_row
      )
      select exists (select from adopted)
        or exists (select from taskboard.scoring where (${names.join(', ')}) = (${places}) and rescoring is null) as "isStored"`,
    values: Object.values(columns),
  })
  return (rows as { readonly isStored: boolean }[])[0]?.isStored === true
}

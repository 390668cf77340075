import type { Scoring } from '@taskboard/core'
import type { PgQueryable } from '../connection/pool.js'

/** The part of a scoring that the stored keys depend on, by the columns of `taskboard.scoring`. */
export function scoringColumns(scoring: Scoring): Readonly<Record<string, number>> {
  return {
    due_horizon_ms: scoring.dueHorizonMs,
    due_far_horizon_ms: scoring.dueFarHorizonMs,
    age_horizon_ms: scoring.ageHorizonMs,
    priority_step: scoring.priorityStep,
    unblocked_units: scoring.unblockedUnits,
    due_units: scoring.dueUnits,
    due_slope: scoring.dueSlope,
    due_far_slope: scoring.dueFarSlope,
    age_slope: scoring.ageSlope,
    unit: scoring.unit,
  }
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

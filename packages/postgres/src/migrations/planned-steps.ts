import { defaultScoring } from '@taskboard/core'
import { scoringInsert } from '../stored-scoring.js'
import { digestOf, titleOf, type Migration } from './migration.js'

/** One step of a run of migrations. */
export interface PlannedStep {
  /** The name of the migration, for example `0001_board`; `0000_bookkeeping` creates the schema and the table that records the others. */
  readonly name: string
  /** The SQL of the step, including its record. You can run the steps by hand, in order and in one transaction. */
  readonly sql: string
}

const BOOKKEEPING: PlannedStep = {
  name: '0000_bookkeeping',
  sql: `create schema if not exists taskboard;
create table taskboard.migration (
  number integer primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz not null default now()
);
`,
}

/** The steps that apply `pending`. */
export function plannedSteps(pending: readonly Migration[], isFirstRun: boolean): readonly PlannedStep[] {
  return [...(isFirstRun ? [BOOKKEEPING] : []), ...pending.map(stepOf)]
}

function stepOf(migration: Migration): PlannedStep {
  const { number, name } = migration
  // The functions of the schema read the weights even before a host binds its own. This migration has all columns for them.
  const weights = number === 9 ? `${scoringInsert(defaultScoring)};\n` : ''
  const remember = `insert into taskboard.migration (number, name, digest) values (${number}, '${name}', '${digestOf(migration)}');\n`
  return { name: titleOf(migration), sql: `${migration.sql.trimEnd()}\n\n${weights}${remember}` }
}

import { defaultScoring } from '@taskboard/core'
import type { PgQueryable } from '@taskboard/postgres'
import { scoringInsert } from '../inside/postgres.js'

/**
 * Deletes the rows of the tables that have any, once whatever still writes to them has ended. To truncate them takes ten times as
 * long, and is left to roles that may not switch off triggers.
 */
const DELETE_ALL = /* sql */ `
do $$
declare
  names text[] := array(
    select format('%I.%I', schemaname, tablename) from pg_tables where schemaname = 'taskboard' and tablename <> 'migration'
  );
  name text;
  is_filled boolean;
begin
  execute 'lock table ' || array_to_string(names, ', ') || ' in access exclusive mode';
  set local session_replication_role = replica;
  foreach name in array names loop
    execute 'select exists (select from ' || name || ')' into is_filled;
    if is_filled then
      execute 'delete from ' || name;
    end if;
  end loop;
exception when insufficient_privilege then
  execute 'truncate ' || array_to_string(names, ', ');
end $$`

/** Restores the state of the database after its first `migrate`, but for the numbers of identity columns. */
export async function emptyTables(connection: PgQueryable): Promise<void> {
  await connection.query({ text: `${DELETE_ALL}; ${scoringInsert(defaultScoring)}`, values: [] })
}

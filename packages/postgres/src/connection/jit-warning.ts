import type { Logger } from '@taskboard/core'
import type { BoundedPool } from './bounded-pool.js'

/** `pg_jit_available` loads the compiler into the session, so it is asked only where `jit` is on. */
const STATE = /* sql */ `
  select case when current_setting('jit')::boolean then pg_jit_available() else false end as "isOn",
    quote_ident(current_user) as role`

/**
 * Warns when the server compiles expensive plans. The plans of a board's requests stay below its limit. A role's whole-table work, such as
 * an export, and the host's own queries may not, and to compile one takes longer than it runs. A failure doesn't prevent the start.
 */
export async function warnOfJit(pool: BoundedPool, logger: Logger): Promise<void> {
  try {
    const { rows } = await pool.query({ text: STATE, values: [] })
    const { isOn, role } = rows[0] as { readonly isOn: boolean; readonly role: string }
    if (!isOn) return
    const statement = `alter role ${role} set jit = off`
    logger.warn(
      { role, statement },
      `the server compiles plans (jit is on), which costs a board time and gains it nothing: run ${statement}`,
    )
  } catch (error) {
    logger.debug({ err: error }, 'could not read whether the server compiles plans')
  }
}

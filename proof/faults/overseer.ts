import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseUnderTest } from './database-under-test.js'
import { repeat, type Running } from './load.js'
import type { Journal } from './observations.js'
import { readRows, type Rows } from './rows.js'

/** Looks at the database past the faults, and turns the clock of schedules. */
export interface Overseer {
  /** Whether enough tasks wait for agents. */
  isFull(): boolean
  startWatching(): Running
  /** Makes all schedules due from time to time, as if their times had come. */
  startSchedules(): Running
  /** Resolves when all work has come to an end, or with what is left after `withinMs` or when the signal aborts. */
  rest(withinMs: number, signal: AbortSignal): Promise<readonly string[]>
  lastSeq(workspaceId: string): Promise<number>
  rows(): Promise<Rows>
}

const FULL = 150
const LOOK_EVERY_MS = 500
const DUE_EVERY_MS = 1_500
/** After this long, the sender of a claimed delivery has ended its attempt: nobody waits for the rest of the claim. */
const LONGEST_SEND_MS = 5_000
const LONGEST_CLAIM_MS = 62_000

const LEFT = /* sql */ `
  select id || ' ' || column_name || coalesce(' on hold: ' || hold_reason, '') || coalesce(' ' || hold_message, '')
      || ' after ' || attempts || ' attempts' as what
    from taskboard.task where column_name <> 'DONE' and hold_reason is distinct from 'cancelled'
  union all select id || ' is pending' from taskboard.due_delivery
  union all select id || ' is due' from taskboard.schedule where next_at <= taskboard.now_ms()
  union all select id || ' waits' from taskboard.approval where state = 'pending'`

export function createOverseer(database: DatabaseUnderTest, journal: Journal): Overseer {
  let waiting = 0

  /** One connection for one question: the server may be another one the next time. */
  async function ask<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const client = new pg.Client({
      connectionString: database.adminUrl(),
      application_name: 'faults',
      connectionTimeoutMillis: 2_000,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows as Row[]
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async function makeDue(): Promise<void> {
    const far = /* sql */ `next_at > taskboard.now_ms() + 3600000`
    const resting = await ask<{ id: string }>(
      `select id from taskboard.schedule where ${far} order by id`,
    ).catch(() => [])
    if (resting.length === 0) return
    try {
      const due = await ask<{ id: string }>(
        `update taskboard.schedule set next_at = taskboard.now_ms() where ${far} returning id`,
      )
      journal.record({ kind: 'made due', scheduleIds: due.map(({ id }) => id), isCertain: true })
    } catch {
      journal.record({ kind: 'made due', scheduleIds: resting.map(({ id }) => id), isCertain: false })
    }
  }

  async function left(): Promise<readonly string[]> {
    await ask(
      `update taskboard.due_delivery set next_attempt_at = taskboard.now_ms()
        where claim_token is not null and next_attempt_at - taskboard.now_ms() between 1 and $1`,
      [LONGEST_CLAIM_MS - LONGEST_SEND_MS],
    )
    return (await ask<{ what: string }>(LEFT)).map(({ what }) => what)
  }

  return {
    isFull: () => waiting > FULL,
    startWatching: () =>
      repeat(
        async () => {
          const count = `select count(*)::integer as n from taskboard.task where column_name <> 'DONE'
            and hold_reason is distinct from 'cancelled'`
          const [row] = await ask<{ n: number }>(count).catch(() => [])
          waiting = row?.n ?? waiting
        },
        () => LOOK_EVERY_MS,
      ),
    startSchedules: () => repeat(makeDue, () => DUE_EVERY_MS),
    async rest(withinMs, signal) {
      const endMs = performance.now() + withinMs
      for (;;) {
        const rest = await left().catch((error: unknown) => [String(error)])
        if (rest.length === 0 || performance.now() > endMs || signal.aborted) return rest
        await sleep(LOOK_EVERY_MS)
      }
    },
    async lastSeq(workspaceId) {
      const [row] = await ask<{ seq: number }>(
        'select last_seq::float8 as seq from taskboard.workspace_log where workspace_id = $1',
        [workspaceId],
      )
      return row?.seq ?? 0
    },
    async rows() {
      const pool = new pg.Pool({ connectionString: database.adminUrl(), max: 2, application_name: 'faults' })
      pool.on('error', () => undefined)
      try {
        return await readRows(pool)
      } finally {
        await pool.end()
      }
    },
  }
}

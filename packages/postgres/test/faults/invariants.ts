import type { ReceivedDelivery } from '@taskboard/testing'
import type { PgQueryable } from '../../src/connection/pool.js'

/** What a test observed from outside during the faults, to compare with the database. */
export interface Witness {
  /** The tasks whose `add` was acknowledged. */
  readonly acknowledged: Iterable<string>
  /** What the receiver of all webhooks received: each different body by `X-Service-Delivery`. */
  readonly received: ReadonlyMap<string, ReadonlySet<string>>
  /** The acknowledged completions of agents that called `board.complete` themselves. */
  readonly completed?: Iterable<Proof> | undefined
  /** Whether every `add` had a unique title and was never retried (or only with one idempotency key). Default true. */
  readonly areTitlesUnique?: boolean | undefined
  /** Whether all work was allowed to finish: nothing may be left in TODO or DOING, no delivery pending. Default true. */
  readonly isQuiet?: boolean | undefined
}

export interface Proof {
  readonly taskId: string
  readonly fencingToken: number
}

interface Check {
  /** The violation, if there is a row. */
  readonly says: string
  /** Returns `what` for each violation; at most a few are reported. */
  readonly text: string
  /** Only for a board at rest. */
  readonly quiet?: true
}

/** The number of events of a type for each task `t`. */
const WITH_EVENTS = /* sql */ `left join (
    select workspace_id, data->>'taskId' as task_id, count(*) filter (where type = 'task.created') as created,
      count(*) filter (where type = 'task.started') as started,
      count(*) filter (where type in ('task.completed', 'task.moved')) as moved
    from taskboard.event group by 1, 2
  ) e on e.workspace_id = t.workspace_id and e.task_id = t.id`

const CHECKS: readonly Check[] = [
  {
    says: 'the same add made two tasks',
    text: `select title as what from taskboard.task group by workspace_id, title having count(*) > 1`,
  },
  {
    says: 'a task was completed twice without a claim in between',
    text: `select e.task_id as what
      from (select data->>'taskId' as task_id, count(*) as n from taskboard.event
        where type = 'task.completed' group by 1) e
      where e.n > (select count(*) from taskboard.attempt a where a.task_id = e.task_id and a.outcome = 'completed')`,
  },
  {
    says: 'two agents worked a task at once: an attempt began before the previous one ended',
    text: `select task_id || ' #' || fencing_token as what from (
        select *, lag(ended_at) over (partition by task_id order by fencing_token) as before from taskboard.attempt
      ) a where started_at < before`,
  },
  {
    says: 'a task has a lease from before its last attempt ended',
    text: `select t.id as what from taskboard.task t
      where t.lease_agent_id is not null and t.started_at < (
        select max(a.ended_at) from taskboard.attempt a where a.task_id = t.id)`,
  },
  {
    says: 'a claim left no attempt behind',
    text: `select t.id as what from taskboard.task t
      where t.fencing_token <> (select count(*) from taskboard.attempt a where a.task_id = t.id)
        + (t.lease_agent_id is not null)::integer`,
  },
  {
    says: 'claims and task.started events differ in number',
    text: `select t.id as what from taskboard.task t ${WITH_EVENTS} where t.fencing_token <> coalesce(e.started, 0)`,
  },
  {
    says: 'a done task has no completed attempt, or no result, or no event',
    text: `select t.id as what from taskboard.task t ${WITH_EVENTS}
      where t.column_name = 'DONE' and t.fencing_token > 0 and (t.completed_at is null or coalesce(e.moved, 0) = 0)`,
  },
  {
    says: 'a task does not have exactly one task.created event',
    text: `select t.id as what from taskboard.task t ${WITH_EVENTS} where coalesce(e.created, 0) <> 1`,
  },
  {
    says: 'the queue and the column TODO differ',
    text: `select coalesce(t.id, q.task_id) as what
      from (select id from taskboard.task where column_name = 'TODO') t
      full join taskboard.todo q on q.task_id = t.id where t.id is null or q.task_id is null`,
  },
  {
    says: 'the numbers of a log have a gap, or do not end where its row says',
    text: `select l.workspace_id as what from taskboard.workspace_log l
      left join taskboard.event e using (workspace_id) group by l.workspace_id, l.last_seq
      having l.last_seq <> count(e.seq) or l.last_seq <> coalesce(max(e.seq), 0)`,
  },
  {
    says: 'a webhook does not have exactly one delivery of an event that it subscribes to',
    text: `select w.id || ' ' || e.id as what
      from taskboard.webhook w join taskboard.event e
        on e.workspace_id = w.workspace_id and e.type = any (w.events) and e.at > w.created_at and w.enabled
      where 1 <> (select count(*) from taskboard.delivery d
        where d.webhook_id = w.id and d.seq = e.seq)`,
  },
  {
    says: 'a task is not done',
    text: `select id || ' ' || column_name || coalesce(' ' || hold_reason, '') as what from taskboard.task
      where column_name <> 'DONE' and hold_reason is null`,
    quiet: true,
  },
  {
    says: 'a delivery is neither done nor listed as failed',
    text: `select id as what from taskboard.delivery where status = 'pending'`,
    quiet: true,
  },
]

const MOST_EXAMPLES = 5

/**
 * All violations of the board's promises, as text; empty when it kept all of them. Call it after the faults, with deliveries
 * and runs at rest (or `isQuiet: false`).
 */
export async function violations(connection: PgQueryable, witness: Witness): Promise<readonly string[]> {
  const { areTitlesUnique = true, isQuiet = true } = witness
  const found: string[] = []
  const report = (says: string, what: readonly string[]): void => {
    if (what.length === 0) return
    found.push(`${says} (${what.length}): ${what.slice(0, MOST_EXAMPLES).join(', ')}`)
  }
  const ask = async (text: string, values: unknown[] = []): Promise<readonly string[]> => {
    const { rows } = await connection.query({ text, values })
    return (rows as { readonly what: string }[]).map(({ what }) => what)
  }

  for (const [index, { says, text, quiet }] of CHECKS.entries()) {
    if ((index === 0 && !areTitlesUnique) || (quiet && !isQuiet)) continue
    report(says, await ask(text))
  }
  report(
    'an acknowledged task is lost',
    await ask(
      `select a.id as what from unnest($1::text[]) as a (id)
        where not exists (select from taskboard.task t where t.id = a.id)`,
      [[...witness.acknowledged]],
    ),
  )
  report('a stale write was accepted', await ask(STALE, [JSON.stringify([...(witness.completed ?? [])])]))
  report('one id came with two bodies', [...witness.received].filter(([, { size }]) => size > 1).map(first))
  const succeeded = await ask(`select id as what from taskboard.delivery where status = 'succeeded'`)
  report(
    'a delivery is listed as succeeded, but never arrived',
    succeeded.filter((id) => !witness.received.has(id)),
  )
  return found
}

/** An acknowledged completion is the end of exactly that attempt. */
const STALE = /* sql */ `
  select c."taskId" || ' #' || c."fencingToken" as what
  from jsonb_to_recordset($1::jsonb) as c ("taskId" text, "fencingToken" bigint)
  left join taskboard.attempt a on a.task_id = c."taskId" and a.fencing_token = c."fencingToken"
  where a.outcome is distinct from 'completed'`

/** `Witness.received` from the requests of a `webhookReceiver`. */
export function bodiesById(
  deliveries: readonly ReceivedDelivery[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const bodies = new Map<string, Set<string>>()
  for (const { id, body } of deliveries) {
    const known = bodies.get(id ?? '') ?? new Set()
    bodies.set(id ?? '', known.add(body.toString('utf8')))
  }
  return bodies
}

function first<T>([value]: readonly [T, unknown]): T {
  return value
}

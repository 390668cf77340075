import type { ReceivedDelivery } from '@taskboard/testing'
import type { PgConnection } from '../../src/pool.js'

/** What a test saw from outside while faults happened: the database is held against it. */
export interface Witness {
  /** The tasks whose `add` was acknowledged. */
  readonly acknowledged: Iterable<string>
  /** What the receiver of all webhooks got: by `X-Service-Delivery`, each different body. */
  readonly received: ReadonlyMap<string, ReadonlySet<string>>
  /** The completions that were acknowledged to agents that called `board.complete` themselves. */
  readonly completed?: Iterable<Proof> | undefined
  /** Whether every `add` had a title of its own that was never tried twice (or only under one idempotency key). Default true. */
  readonly areTitlesUnique?: boolean | undefined
  /** Whether all work was let come to its end: nothing may be left in TODO or DOING, no delivery pending. Default true. */
  readonly isQuiet?: boolean | undefined
}

export interface Proof {
  readonly taskId: string
  readonly fencingToken: number
}

interface Check {
  /** What is wrong, where there is a row. */
  readonly says: string
  /** Yields `what` for each violation; at most a few are told of. */
  readonly text: string
  /** Only of a board that has come to rest. */
  readonly quiet?: true
}

/** How many events of a kind each task `t` has. */
const WITH_EVENTS = /* sql */ `left join (
    select workspace_id, facts->>'taskId' as task_id, count(*) filter (where type = 'task.created') as created,
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
    says: 'a task was completed twice without having been taken up again in between',
    text: `select e.task_id as what
      from (select facts->>'taskId' as task_id, count(*) as n from taskboard.event
        where type = 'task.completed' group by 1) e
      where e.n > (select count(*) from taskboard.attempt a where a.task_id = e.task_id and a.outcome = 'completed')`,
  },
  {
    says: 'a task was worked by two at once: an attempt began before the one before it had ended',
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
    says: 'a task has not exactly one task.created event',
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
    says: 'a webhook has not exactly one delivery of an event that it wants',
    text: `select w.id || ' ' || e.id as what
      from taskboard.webhook w join taskboard.event e
        on e.workspace_id = w.workspace_id and e.type = any (w.events) and e.at > w.created_at and w.enabled
      where 1 <> (select count(*) from taskboard.delivery d
        where d.webhook_id = w.id and d.event->>'id' = e.id)`,
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
 * Everything in which the board differs from its promises, in words; empty when it kept all of them. To be asked when the
 * faults are over, with deliveries and runs at rest (or `isQuiet: false`).
 */
export async function violations(connection: PgConnection, witness: Witness): Promise<readonly string[]> {
  const { areTitlesUnique = true, isQuiet = true } = witness
  const found: string[] = []
  const tell = (says: string, what: readonly string[]): void => {
    if (what.length === 0) return
    found.push(`${says} (${what.length}): ${what.slice(0, MOST_EXAMPLES).join(', ')}`)
  }
  const ask = async (text: string, values: unknown[] = []): Promise<readonly string[]> => {
    const { rows } = await connection.query({ text, values })
    return (rows as { readonly what: string }[]).map(({ what }) => what)
  }

  for (const [index, { says, text, quiet }] of CHECKS.entries()) {
    if ((index === 0 && !areTitlesUnique) || (quiet && !isQuiet)) continue
    tell(says, await ask(text))
  }
  tell(
    'an acknowledged task is lost',
    await ask(
      `select a.id as what from unnest($1::text[]) as a (id)
        where not exists (select from taskboard.task t where t.id = a.id)`,
      [[...witness.acknowledged]],
    ),
  )
  tell('a stale write was accepted', await ask(STALE, [JSON.stringify([...(witness.completed ?? [])])]))
  tell('one id came with two bodies', [...witness.received].filter(([, { size }]) => size > 1).map(first))
  const succeeded = await ask(`select id as what from taskboard.delivery where status = 'succeeded'`)
  tell(
    'a delivery is listed as made, and never arrived',
    succeeded.filter((id) => !witness.received.has(id)),
  )
  return found
}

/** A completion that was acknowledged is the end of that very attempt. */
const STALE = /* sql */ `
  select c."taskId" || ' #' || c."fencingToken" as what
  from jsonb_to_recordset($1::jsonb) as c ("taskId" text, "fencingToken" bigint)
  left join taskboard.attempt a on a.task_id = c."taskId" and a.fencing_token = c."fencingToken"
  where a.outcome is distinct from 'completed'`

/** `Witness.received` of what a `webhookReceiver` has got. */
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

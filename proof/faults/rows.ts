import type pg from 'pg'

export interface TaskRow {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly column: 'TODO' | 'DOING' | 'DONE'
  readonly hold: string | null
  readonly token: number
  readonly result: string | null
  readonly dependsOn: readonly string[]
  readonly openDependencies: number
  readonly isQueued: boolean
}

export interface AttemptRow {
  readonly taskId: string
  readonly token: number
  readonly agentId: string
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: string
}

export interface EventRow {
  readonly workspaceId: string
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly taskId: string | null
  /** Of the commit, by the machine's clock; null where the server does not keep it. */
  readonly committedAt: number | null
}

export interface DeliveryRow {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly status: string
  readonly attemptCount: number
  /** How many are listed. */
  readonly attempts: number
}

/** All that the checks read of the database, at rest. */
export interface Rows {
  readonly tasks: readonly TaskRow[]
  readonly attempts: readonly AttemptRow[]
  readonly events: readonly EventRow[]
  readonly lastSeqs: readonly { readonly workspaceId: string; readonly seq: number }[]
  readonly lines: readonly { readonly taskId: string; readonly at: number; readonly message: string }[]
  readonly comments: readonly { readonly taskId: string; readonly kind: string; readonly body: string }[]
  readonly approvals: readonly {
    readonly id: string
    readonly taskId: string
    readonly state: string
    readonly usedAt: number | null
  }[]
  readonly webhooks: readonly { readonly id: string; readonly events: readonly string[] }[]
  readonly deliveries: readonly DeliveryRow[]
  /** What was reported under a claim. */
  readonly usage: readonly {
    readonly taskId: string
    readonly token: number
    readonly reports: number
    readonly tokens: number
  }[]
  /** The sums of other tables over the same. */
  readonly usageByDay: { readonly reports: number; readonly tokens: number }
  readonly usageByMonth: { readonly tokens: number }
  /** How many tasks the figures count as created, and how many events there are up to where they are counted. */
  readonly figures: readonly {
    readonly workspaceId: string
    readonly counted: number
    readonly events: number
  }[]
  readonly limits: readonly { readonly agentId: string; readonly most: number }[]
  readonly schedules: readonly { readonly id: string; readonly title: string }[]
}

const QUERIES: { readonly [K in keyof Rows]: string } = {
  tasks: /* sql */ `select t.id, t.title, t.description, t.column_name as "column", t.hold_reason as hold,
      t.fencing_token::float8 as token, t.result, t.depends_on as "dependsOn",
      t.open_dependencies as "openDependencies", q.task_id is not null as "isQueued"
    from taskboard.task t left join taskboard.todo q on q.task_id = t.id order by t.id`,
  attempts: /* sql */ `select task_id as "taskId", fencing_token::float8 as token, agent_id as "agentId",
      started_at::float8 as "startedAt", ended_at::float8 as "endedAt", outcome
    from taskboard.attempt order by task_id, fencing_token`,
  events: /* sql */ `select workspace_id as "workspaceId", e.seq::float8 as seq, e.id, e.type, e.data->>'taskId' as "taskId",
      case when current_setting('track_commit_timestamp') = 'on'
        then extract(epoch from pg_xact_commit_timestamp(b.xmin))::float8 * 1000 end as "committedAt"
    from taskboard.event e join taskboard.event_batch b using (workspace_id, last_seq) order by workspace_id, e.seq`,
  lastSeqs: /* sql */ `select workspace_id as "workspaceId", last_seq::float8 as seq from taskboard.workspace_log`,
  lines: /* sql */ `select task_id as "taskId", at::float8 as at, message from taskboard.task_log`,
  comments: /* sql */ `select task_id as "taskId", kind, body from taskboard.task_comment`,
  approvals: /* sql */ `select id, task_id as "taskId", state, used_at::float8 as "usedAt" from taskboard.approval`,
  webhooks: /* sql */ `select id, events from taskboard.webhook`,
  deliveries: /* sql */ `select id, webhook_id as "webhookId", event->>'id' as "eventId", status,
      attempt_count as "attemptCount", jsonb_array_length(attempts) as attempts
    from taskboard.delivery order by id`,
  usage: /* sql */ `select task_id as "taskId", fencing_token::float8 as token, sum(reports)::float8 as reports,
      sum(input_tokens + output_tokens)::float8 as tokens
    from taskboard.task_usage group by 1, 2`,
  usageByDay: /* sql */ `select coalesce(sum(reports), 0)::float8 as reports,
      coalesce(sum(input_tokens + output_tokens), 0)::float8 as tokens
    from taskboard.usage_day`,
  usageByMonth: /* sql */ `select coalesce(sum(tokens), 0)::float8 as tokens from taskboard.usage_month where agent_id = ''`,
  figures: /* sql */ `select m.workspace_id as "workspaceId",
      (select coalesce(sum(d.created), 0)::float8 from taskboard.analytics_day d
        where d.workspace_id = m.workspace_id) as counted,
      (select count(*)::float8 from taskboard.event e where e.workspace_id = m.workspace_id and e.seq <= m.seq
        and e.type = 'task.created') as events
    from taskboard.analytics_mark m`,
  limits: /* sql */ `select id as "agentId", max_concurrent as most from taskboard.agent where max_concurrent is not null`,
  schedules: /* sql */ `select id, task->>'title' as title from taskboard.schedule`,
}
const SINGLE: readonly (keyof Rows)[] = ['usageByDay', 'usageByMonth']

export async function readRows(pool: Pick<pg.Pool, 'query'>): Promise<Rows> {
  const read = async ([name, text]: [string, string]) => {
    const { rows } = await pool.query(text)
    return [name, SINGLE.includes(name as keyof Rows) ? rows[0] : rows]
  }
  return Object.fromEntries(await Promise.all(Object.entries(QUERIES).map(read))) as Rows
}

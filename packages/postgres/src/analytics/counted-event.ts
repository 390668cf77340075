/** The types of the events that count. */
export const COUNTED_TYPES = /* sql */ `('task.created', 'task.completed', 'task.moved', 'task.failed')`

/**
 * The counts of event `alias`, as a query without a table: day, type, created, completed, failed, timed, taken_ms. Equals
 * `countEvent` of core.
 */
export function countedEvent(alias: string): string {
  const e = alias
  return /* sql */ `
    select (c.done_at / 86400000)::integer as day, coalesce(${e}.facts->>'type', '') as type,
      (${e}.type = 'task.created')::integer as created,
      c.sign as completed,
      (${e}.type = 'task.failed' and ${e}.facts->>'reason' = 'failed')::integer as failed,
      case when c.started_at is null then 0 else c.sign end as timed,
      coalesce(c.sign * greatest(0, c.done_at - c.started_at), 0) as taken_ms
    from (
      select s.sign,
        case when s.sign = -1 then (${e}.facts->>'completedAt')::bigint else ${e}.at end as done_at,
        case when s.sign <> 0 then (${e}.facts->>'startedAt')::bigint end as started_at
      from (
        select case
          when ${e}.type = 'task.completed' then 1
          when ${e}.type <> 'task.moved' then 0
          when ${e}.facts->>'to' = 'DONE' then 1
          when ${e}.facts->>'from' = 'DONE' and ${e}.facts->>'completedAt' is not null then -1
          else 0 end as sign
      ) s
    ) c`
}

import { countedEventTypes, type CountedEventType } from '@taskboard/core/storage'

/** The types of the events that count. */
export const COUNTED_TYPES = /* sql */ `(${countedEventTypes.map((type) => `'${type}'`).join(', ')})`

type Count = 'created' | 'completed' | 'failed'

/** What an event of a type adds, as expressions of its data. */
const counts: Readonly<Record<CountedEventType, (data: string) => Partial<Record<Count, string>>>> = {
  'task.created': () => ({ created: '1' }),
  'task.completed': () => ({ completed: '1' }),
  'task.failed': (data) => ({ failed: /* sql */ `(${data}->>'reason' = 'failed')::integer` }),
  'task.moved': (data) => ({
    completed: /* sql */ `case
      when ${data}->>'to' = 'DONE' then 1
      when ${data}->>'from' = 'DONE' and ${data}->>'completedAt' is not null then -1
      else 0 end`,
  }),
}

function counted(alias: string, count: Count): string {
  const cases = countedEventTypes.flatMap((type) => {
    const sum = counts[type](`${alias}.facts`)[count]
    return sum === undefined ? [] : [`when '${type}' then ${sum}`]
  })
  return /* sql */ `case ${alias}.type ${cases.join(' ')} else 0 end`
}

/**
 * The counts of event `alias`, as a query without a table: day, type, created, completed, failed, timed, taken_ms. Equals
 * `countEvent` of core.
 */
export function countedEvent(alias: string): string {
  const e = alias
  return /* sql */ `
    select (c.done_at / 86400000)::integer as day, coalesce(${e}.facts->>'type', '') as type,
      ${counted(e, 'created')} as created,
      c.sign as completed,
      ${counted(e, 'failed')} as failed,
      case when c.started_at is null then 0 else c.sign end as timed,
      coalesce(c.sign * greatest(0, c.done_at - c.started_at), 0) as taken_ms
    from (
      select s.sign,
        case when s.sign = -1 then (${e}.facts->>'completedAt')::bigint else ${e}.at end as done_at,
        case when s.sign <> 0 then (${e}.facts->>'startedAt')::bigint end as started_at
      from (select ${counted(e, 'completed')} as sign) s
    ) c`
}

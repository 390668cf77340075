import { lanes } from '@taskboard/core/storage'

/** A row for each lane: `l.lane`. */
export const EACH_LANE = `(values ${lanes.map((lane) => `(${lane})`).join(', ')}) as l (lane)`

/** What a lane's score rises by in a millisecond, of the scoring `s`. */
export const slopeOf = (lane: string): string =>
  `((${lane} & 1) * s.age_slope + (case ${lane} >> 1 when 1 then s.due_far_slope when 2 then s.due_slope else 0 end))`

/** How tasks `t` of one lane follow each other, in the order of the indexes. */
export const BEST_FIRST = 't.key desc, t.due_date, t.created_at, t.task_id'

import { lanes } from '@taskboard/core/storage'

/** A row for each lane: `l.lane`. */
export const EACH_LANE = `(values ${lanes.map((lane) => `(${lane})`).join(', ')}) as l (lane)`

/** The stored scoring `s`. The limit is for the planner: the server never counts the row of so small a table, and expects hundreds. */
export const SCORING = '(select * from taskboard.scoring limit 1) as s'

/** How much a lane's score rises in a millisecond, with the scoring `s`. */
export const slopeOf = (lane: string): string =>
  `((${lane} & 1) * s.age_slope + (case ${lane} >> 1 when 1 then s.due_far_slope when 2 then s.due_slope else 0 end))`

/** The order of tasks `t` within a lane, as in the indexes. */
export const BEST_FIRST = 't.key desc, t.due_date, t.created_at, t.task_id'

import { lanes } from '@taskboard/core/storage'

/** A row for each lane: `l.lane`. */
export const EACH_LANE = `(values ${lanes.map((lane) => `(${lane})`).join(', ')}) as l (lane)`

/** The stored scoring `s`. The limit is for the planner: the server never counts the row of so small a table, and expects hundreds. */
export const SCORING = '(select * from taskboard.scoring limit 1) as s'

/** How much a lane's score rises in a millisecond, with the scoring `s`. */
export const slopeOf = (lane: string): string =>
  `((${lane} & 1) * s.age_slope + (case ${lane} >> 1 when 1 then s.due_far_slope when 2 then s.due_slope else 0 end))`

/** Of tasks with equal scores, the one that is due earlier comes first, then the older one, then the smaller id. */
export const TIE_BREAK = 'due_date, created_at, task_id'

/** The order of candidates of all lanes. */
export const BEST_OF_ALL = `score desc, ${TIE_BREAK}`

const columnsOf = (order: string, suffix = ''): string =>
  order
    .split(', ')
    .map((column) => `t.${column}${suffix}`)
    .join(', ')

/** The order of tasks `t` within a lane, as in the indexes `todo_pickup` and `todo_listing`. */
export const BEST_FIRST = `t.key desc, ${columnsOf(TIE_BREAK)}`

/**
 * The end of `todo_pickup` that claims don't take from, of a pool. The other end holds the entries of all tasks claimed since the last vacuum,
 * and a search for the first entry has to pass them.
 */
export const WORST_FIRST = `t.lane desc, t.key, ${columnsOf(TIE_BREAK, ' desc')}`

import { createHash } from 'node:crypto'

declare const rowType: unique symbol

/** A statement with the type of its rows. Every value is a parameter, and every column has the name of the row's member. */
export interface Statement<Row> {
  /** The name of its plan on the server: changes with the text. Undefined: the server plans it again each time, with the values. */
  readonly name: string | undefined
  readonly text: string
  /** Whether only background work waits for it. On a single connection it lets others go first. */
  readonly isBackground: boolean
  readonly [rowType]?: Row
}

/** Creates a statement; `verb` describes it to people who look at the server. */
export function statement<Row>(verb: string, text: string): Statement<Row> {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return { name: `taskboard_${verb}_${digest}`, text, isBackground: false }
}

/** A statement whose best plan depends on its values, or that has too many forms to keep the plans of all. */
export function plannedAnew<Row>(text: string): Statement<Row> {
  return { name: undefined, text, isBackground: false }
}

/**
 * All rows of a query, of which the planner expects a tenth, its guess for a limit that it doesn't know; this one is none. It keeps two
 * estimates below the costs at which a server compiles a plan (`jit_above_cost`). One is of a list in JSON (always 100 rows), and one of
 * the rows looked up for each. Compiling takes hundreds of times as long as the statement.
 */
export const expectFew = (rows: string): string =>
  `select * from (${rows}) as all_rows limit (select null::bigint)`

/** A condition that nearly all rows meet in the planner's estimate, where it would guess a third or less. No index is used for it. */
export const expectMet = (condition: string): string => `nullif(${condition}, false) is not null`

/** A statement of background work, which no caller waits for. */
export function backgroundStatement<Row>(verb: string, text: string): Statement<Row> {
  return { ...statement<Row>(verb, text), isBackground: true }
}

import { createHash } from 'node:crypto'

declare const rowType: unique symbol

/** A statement with the type of its rows. Every value is a parameter, and every column is named as the row's member. */
export interface Statement<Row> {
  /** Under which the server keeps its plan: changes with the text. */
  readonly name: string
  readonly text: string
  /** Whether only background work waits for it, which lets others go first where there is a single connection. */
  readonly isBackground: boolean
  readonly [rowType]?: Row
}

/** Makes a statement; `verb` is what it does, for people who look at the server. */
export function statement<Row>(verb: string, text: string): Statement<Row> {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return { name: `taskboard_${verb}_${digest}`, text, isBackground: false }
}

/** A statement of background work, for which nobody waits. */
export function backgroundStatement<Row>(verb: string, text: string): Statement<Row> {
  return { ...statement<Row>(verb, text), isBackground: true }
}

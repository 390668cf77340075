import type { HoldReason, MonthlyBudget, Task } from '../state/wire.js'

/** The holds that end when a person does something. */
export const reasons = [
  'needs_input',
  'approval',
  'failed',
  'budget',
] as const satisfies readonly HoldReason[]
export type Reason = (typeof reasons)[number]

/** Something that waits for a person: a task on hold, or a monthly budget that is spent. */
export type Waiting =
  | { readonly kind: 'task'; readonly reason: Reason; readonly task: Task }
  | { readonly kind: 'budget'; readonly reason: 'budget'; readonly budget: MonthlyBudget }

/** An entry of the inbox. One that no longer waits keeps its place, so that nothing moves below the pointer. */
export interface ShownEntry {
  /** Another wait of the same task is another entry. */
  readonly key: string
  readonly what: Waiting
  /** When it was handled; null while it waits. */
  readonly handledAt: number | null
}

export function keyOf(what: Waiting): string {
  if (what.kind === 'task') return `${what.task.id}-${what.task.hold?.since ?? ''}`
  return `budget-${what.budget.agent_id ?? what.budget.workspace_id}`
}

/** Oldest first; entries of the same moment in the order of their creation. Monthly budgets come last. */
function placeOf({ what }: ShownEntry): string {
  if (what.kind === 'task') return `0 ${what.task.hold?.since ?? ''} ${what.task.id}`
  return `1 ${what.budget.agent_id ?? ''}`
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** The entries after what waits has changed: those that waited before and no longer do stay, as handled. */
export function followWaiting(
  before: readonly ShownEntry[],
  waiting: readonly Waiting[],
  now: number,
): readonly ShownEntry[] {
  const waits = new Set(waiting.map(keyOf))
  const handled = before
    .filter(({ key }) => !waits.has(key))
    .map((entry) => (entry.handledAt === null ? { ...entry, handledAt: now } : entry))
  const entries = waiting.map((what): ShownEntry => ({ key: keyOf(what), what, handledAt: null }))
  return [...handled, ...entries].toSorted((one, other) => compare(placeOf(one), placeOf(other)))
}

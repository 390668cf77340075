import { signal } from '@preact/signals'
import type { CardTask, Priority } from '../state/wire.js'

/** The filters of the board, by the names of the list's query. */
export interface Filters {
  readonly q?: string
  readonly priority?: Priority
  readonly type?: string
  readonly tag?: string
  readonly agent_id?: string
}

export const filters = signal<Filters>({})

/** Changes a filter; an empty value clears it. */
export function filterBy<Name extends keyof Filters>(name: Name, value: Filters[Name] | ''): void {
  const { [name]: _, ...rest } = filters.value
  filters.value = value === '' || value === undefined ? rest : { ...rest, [name]: value }
}

/** Whether two answers describe the same state of a task, so that its card need not be drawn again. */
export function isAlike(a: CardTask, b: CardTask): boolean {
  return (
    a.updated_at === b.updated_at &&
    a.progress === b.progress &&
    a.column === b.column &&
    a.open_dependencies === b.open_dependencies &&
    a.agent?.id === b.agent?.id &&
    a.hold?.reason === b.hold?.reason &&
    a.hold?.message === b.hold?.message &&
    a.usage?.cost_usd === b.usage?.cost_usd
  )
}

import { TaskboardError } from '@taskboard/core'

const DEFAULT = 20
const MOST = 100

/** The size of a page. @throws TaskboardError `INVALID_FIELD` (`first`). */
export function pageSize(first: number | null | undefined): number {
  if (first == null) return DEFAULT
  if (first >= 1 && first <= MOST) return first
  throw new TaskboardError('INVALID_FIELD', `first must be from 1 to ${MOST}`, { field: 'first' })
}

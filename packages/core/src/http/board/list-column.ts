import type { Column } from '../../board/index.js'
import { TaskboardError } from '../../errors/index.js'
import { reading, type BoardOperation } from './operation.js'
import { listedTaskJson } from './task-json.js'

/** `?action=todo`, `doing` and `done`: a column's tasks, a page at a time. */
export function listColumn(column: Column): BoardOperation {
  return {
    ...reading,
    scope: 'tasks:read',
    async run({ surface, query, board }) {
      const limit = requestedLimit(query['limit'])
      const cursor = query['cursor'] ?? null
      const { tasks, asOf, nextCursor } = await board.list(column, { limit, cursor })
      let list = ''
      for (const task of tasks) {
        if (list !== '') list += ','
        list += listedTaskJson(task, asOf, surface.scoring)
      }
      const next = nextCursor === null ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`
      return `{"success":true,"tasks":[${list}],"count":${tasks.length}${next}}`
    },
  }
}

/** Also the default: clients that follow only the contract do not page, and must not miss tasks silently. */
const LARGEST_PAGE = 1_000

function requestedLimit(text: string | undefined): number {
  if (text === undefined) return LARGEST_PAGE
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new TaskboardError('INVALID_FIELD', 'limit must be a whole number from 1 to 1000', { field: 'limit' })
}

import type { Column } from '../../board/index.js'
import { isStorableText, TaskboardError } from '../../errors/index.js'
import { fieldNames } from '../field-names.js'
import type { JsonObject } from '../json-body.js'
import { writing, type BoardOperation } from './operation.js'
import { createdTaskJson } from './task-json.js'

const targets: ReadonlyMap<unknown, Column> = new Map([
  ['todo', 'TODO'],
  ['doing', 'DOING'],
  ['done', 'DONE'],
])
const LONGEST_ID = 64

/** `?action=move`: any column to any. */
export const moveTask: BoardOperation = {
  ...writing,
  scope: 'tasks:write',
  fields: fieldNames({ required: ['task_id', 'to'] }),
  checkFields: (body) => void readMove(body),
  async run({ surface, principal, board, body }) {
    const { taskId, to } = readMove(body)
    if (taskId.length > LONGEST_ID || !isStorableText(taskId)) throw notFound()
    const actor = { kind: principal.kind, id: principal.id }
    const task = await board.move(taskId, to, { actor })
    const now = surface.environment.clock.now()
    return `{"success":true,"task":${createdTaskJson(task, now, surface.scoring)}}`
  },
}

function readMove(body: JsonObject): { taskId: string; to: Column } {
  return { taskId: requireText(body, 'task_id'), to: requireTarget(requireText(body, 'to')) }
}

function requireText(body: JsonObject, field: string): string {
  const value = body[field]
  if (typeof value === 'string') return value
  throw new TaskboardError('INVALID_FIELD', `${field} must be text`, { field })
}

function requireTarget(to: string): Column {
  const column = targets.get(to)
  if (column !== undefined) return column
  throw new TaskboardError('INVALID_FIELD', 'to must be one of todo, doing, done', { field: 'to' })
}

function notFound(): TaskboardError {
  return new TaskboardError('TASK_NOT_FOUND', 'no such task')
}

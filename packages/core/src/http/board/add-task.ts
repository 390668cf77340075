import { readNewTask } from '../../board/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { boardTaskFields, toTaskInput } from '../task-wire.js'
import { writing, type BoardOperation } from './operation.js'
import { createdTaskJson } from './task-json.js'

/** `?action=add`: creates a task in TODO. Its score is as of its creation, so that a repeat returns the same bytes. */
export const addTask: BoardOperation = {
  ...writing,
  scope: 'tasks:write',
  fields: boardTaskFields,
  checkFields: (body) => void readNewTask(toTaskInput(body), '', 1),
  async run({ surface, principal, request, board, body }) {
    const input = toTaskInput(body)
    const idempotency = idempotencyClaim(request, principal, 'add', input)
    const actor = { kind: principal.kind, id: principal.id }
    const task = await surface.quota.createTask(
      principal,
      (tx) => board.addOnce(input, { actor, idempotency, tx }),
      { isRepeatable: idempotency !== undefined, check: () => readNewTask(input, '', 1) },
    )
    return `{"success":true,"task":${createdTaskJson(task, task.createdAt, surface.scoring)}}`
  },
}

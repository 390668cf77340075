import { readNewTask, type TaskInput } from '../../board/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { fieldNames } from '../field-names.js'
import type { JsonObject } from '../json-body.js'
import { writing, type BoardOperation } from './operation.js'
import { createdTaskJson } from './task-json.js'

/** `?action=add`: creates a task in TODO. Its score is as of its creation, so that a repeat returns the same bytes. */
export const addTask: BoardOperation = {
  ...writing,
  scope: 'tasks:write',
  fields: fieldNames({
    required: ['title'],
    optional: [
      'description',
      'type',
      'priority',
      'assigned_to',
      'due_date',
      'not_before',
      'tags',
      'metadata',
      'depends_on',
    ],
  }),
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

/** Renames the fields; the board validates them. */
function toTaskInput(body: JsonObject): TaskInput {
  const input: Record<keyof Omit<TaskInput, 'maxAttempts'>, unknown> = {
    title: body['title'],
    description: body['description'],
    type: body['type'],
    priority: body['priority'],
    assignedTo: body['assigned_to'],
    dueDate: textOnly(body['due_date']),
    notBefore: textOnly(body['not_before']),
    tags: body['tags'],
    metadata: body['metadata'],
    dependsOn: body['depends_on'],
  }
  return input as TaskInput
}

/** A host can pass times as numbers, a client cannot: anything but text becomes a value that the board refuses. */
function textOnly(value: unknown): unknown {
  return typeof value === 'string' || value === null || value === undefined ? value : false
}

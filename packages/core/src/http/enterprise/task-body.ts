import { z } from 'zod'
import { priorities, taskListEntries, type TaskChangeInput, type TaskInput } from '../../board/index.js'
import { boundedList } from '../../errors/index.js'
import { idText, instantText } from './wire-schemas.js'

const text = z.string()

/** What the fields of a task look like; how long they may be is for the board to say. */
const fields = {
  title: text.meta({ minLength: 1, description: '1 to 200 characters.' }),
  description: text.nullish(),
  type: text
    .meta({ minLength: 1, maxLength: 64 })
    .nullish()
    .meta({ description: 'Any text, a label for the agent: it restricts nobody.' }),
  priority: z.enum(priorities as ['urgent', 'high', 'medium', 'low']).nullish(),
  assigned_to: idText.nullish().meta({ description: 'The only agent that may take the task.' }),
  deadline: instantText.nullish(),
  not_before: instantText.nullish().meta({ description: 'No agent takes the task earlier.' }),
  tags: boundedList(text, { of: 'texts', most: taskListEntries }).nullish(),
  // Looked at by the board alone: whatever names it has are its own.
  metadata: z.unknown().meta({
    type: ['object', 'null'],
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description: 'At most 16,384 characters as JSON.',
  }),
  depends_on: boundedList(idText, { of: 'ids', most: taskListEntries })
    .nullish()
    .meta({ description: 'Tasks that must be done before agents may take it.' }),
}

/** What a task is made from. */
export const newTaskBody = z.object({
  ...fields,
  metadata: fields.metadata.optional(),
  workspace_id: idText.nullish(),
})

/** What of a task is changed: what is given. Null clears what can be empty. */
export const taskChangeBody = z.object({
  ...fields,
  title: fields.title.optional(),
  metadata: fields.metadata.optional(),
})

/** What the fields of tasks are called here where that is not their snake_case. */
export const taskWireFields = { dueDate: 'deadline' } as const

export function toTaskInput(body: z.output<typeof newTaskBody>): TaskInput {
  return { ...toFields(body), title: body.title }
}

export function toTaskChange(body: z.output<typeof taskChangeBody>): TaskChangeInput {
  return { ...toFields(body), title: body.title }
}

function toFields(body: Omit<z.output<typeof taskChangeBody>, 'title'>) {
  return {
    description: body.description,
    type: body.type,
    priority: body.priority,
    assignedTo: body.assigned_to,
    dueDate: body.deadline,
    notBefore: body.not_before,
    tags: body.tags,
    metadata: body.metadata as TaskInput['metadata'],
    dependsOn: body.depends_on,
  }
}

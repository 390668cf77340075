import { z } from 'zod'
import { priorities, taskListEntries, type TaskChangeInput, type TaskInput } from '../../board/index.js'
import { boundedList } from '../../errors/index.js'
import { idText, instantText } from './wire-schemas.js'

const text = z.string()

/** The types of a task's fields; the board checks their lengths. */
const fields = {
  title: text.meta({ minLength: 1, description: '1 to 200 characters.' }),
  description: text.nullish(),
  type: text
    .meta({ minLength: 1, maxLength: 64 })
    .nullish()
    .meta({ description: 'Any text, as a label for the agent. It restricts nothing.' }),
  priority: z.enum(priorities as ['urgent', 'high', 'medium', 'low']).nullish(),
  assigned_to: idText.nullish().meta({ description: 'The only agent that can take the task.' }),
  deadline: instantText.nullish(),
  not_before: instantText.nullish().meta({ description: 'No agent takes the task before this time.' }),
  tags: boundedList(text, { of: 'texts', most: taskListEntries }).nullish(),
  // Checked only by the board: the caller chooses its names.
  metadata: z.unknown().meta({
    type: ['object', 'null'],
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description: 'At most 16,384 characters as JSON.',
  }),
  depends_on: boundedList(idText, { of: 'ids', most: taskListEntries })
    .nullish()
    .meta({ description: 'Tasks that must be done before agents can take it.' }),
}

/** The input for a new task. */
export const newTaskBody = z.object({
  ...fields,
  metadata: fields.metadata.optional(),
  workspace_id: idText.nullish(),
})

/** The input for a change. Only given fields change; null clears a field that can be empty. */
export const taskChangeBody = z.object({
  ...fields,
  title: fields.title.optional(),
  metadata: fields.metadata.optional(),
})

/** The wire names of task fields, if they are not the snake_case form. */
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

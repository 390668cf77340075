import type { Task, TaskChangeInput, TaskSummary } from '@taskboard/core'
import type { FieldResolver } from './field-plan.js'

type TaskField = keyof TaskChangeInput

/** A task's field in the schema. */
interface FieldType<F extends TaskField> {
  readonly name: string
  /** The type, without `!`. */
  readonly type: string
  /** The type in inputs, if it is another one. */
  readonly inputType?: string
  readonly isNullable: null extends Task[F] ? true : false
  /** Whether a new task must have it. */
  readonly isRequired?: true
  /** For the input of a new task. */
  readonly description?: string
}

const fieldTypes: { readonly [F in TaskField]-?: FieldType<F> } = {
  title: {
    name: 'title',
    type: 'String',
    isNullable: false,
    isRequired: true,
    description: '1 to 200 characters.',
  },
  description: { name: 'description', type: 'String', isNullable: true },
  type: {
    name: 'type',
    type: 'String',
    isNullable: true,
    description: '1 to 64 characters. While the workspace has agents of this type, only they take the task.',
  },
  priority: { name: 'priority', type: 'Priority', isNullable: false, description: 'Default MEDIUM.' },
  assignedTo: {
    name: 'assignedTo',
    type: 'ID',
    isNullable: true,
    description: 'The only agent that may take the task.',
  },
  dueDate: { name: 'deadline', type: 'DateTime', isNullable: true },
  notBefore: {
    name: 'notBefore',
    type: 'DateTime',
    isNullable: true,
    description: 'No agent takes the task earlier.',
  },
  tags: { name: 'tags', type: '[String!]', isNullable: false },
  metadata: { name: 'metadata', type: 'Metadata', isNullable: false },
  dependsOn: {
    name: 'dependsOn',
    type: '[ID!]',
    isNullable: false,
    description: 'Tasks that must be done before agents may take it.',
  },
  budget: {
    name: 'budget',
    type: 'Budget',
    inputType: 'BudgetInput',
    isNullable: true,
    description: 'The budget of the task, for all attempts together.',
  },
}

const fields = Object.entries(fieldTypes) as readonly (readonly [TaskField, FieldType<TaskField>])[]

function members(line: (field: FieldType<TaskField>) => string): string {
  return fields.map(([, field]) => line(field)).join('\n    ')
}

/** The members of `Task`. */
export const shownFields = members(({ name, type, isNullable }) => `${name}: ${type}${isNullable ? '' : '!'}`)

/** The members of `CreateTaskInput`. */
export const newFields = members(({ name, type, inputType = type, isRequired = false, description }) => {
  const member = `${name}: ${inputType}${isRequired ? '!' : ''}`
  return description === undefined ? member : `"${description}"\n    ${member}`
})

/** The members of `UpdateTaskInput`. */
export const changedFields = members(({ name, type, inputType = type }) => `${name}: ${inputType}`)

/** The implementations of the members of `Task`. */
export const fieldResolvers: Readonly<Record<string, FieldResolver>> = Object.fromEntries(
  fields.map(([field, { name }]) => [name, ({ task }: TaskSummary) => task[field]]),
)

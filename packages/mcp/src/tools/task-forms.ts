import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import { members, pick } from './tool.js'
import type { Answer } from '../board-calls.js'

const full = operationSchemas('getTask').answer

/** A task in a list. */
export const listedTask = z.object(
  members(full, 'id', 'title', 'status', 'priority', 'type', 'hold', 'progress', 'deadline', 'updated_at'),
)

/** A task with what its agent works from. */
export const workedTask = z.object({
  ...members(full, 'id', 'title', 'description', 'type', 'priority', 'deadline', 'tags', 'metadata'),
  ...members(full, 'depends_on', 'parent_id', 'attempts'),
})

/** A task that has changed. */
export const changedTask = z.object(members(full, 'id', 'title', 'status', 'progress'))

/** Parts of a shown task. */
export const shownTask = z.object({
  ...workedTask.shape,
  ...members(full, 'workspace_id', 'status', 'hold', 'progress', 'agent', 'result', 'logs', 'outputs'),
})

/** The list of an answer, each entry with the members of the schema. */
export function pickEach(list: unknown, schema: z.ZodObject): readonly Answer[] {
  return (list as readonly unknown[]).map((each) => pick(each, schema))
}

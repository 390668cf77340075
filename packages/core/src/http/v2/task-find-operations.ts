import { z } from 'zod'
import { holdReasons, priorities, taskSorts, taskStatuses, type FoundTask } from '../../board/index.js'
import { noUsage } from '../../usage/index.js'
import { columnOf, columnText, taskJson, taskWireFields, toWireTask } from '../wire/task-wire.js'
import { toWireUsage, usageJson } from '../wire/usage-wire.js'
import { operation } from './operation.js'
import { idText, instantText, nextCursor, pageQuery } from '../wire/wire-schemas.js'

/** A task of a list. */
const listedTaskJson = taskJson
  .extend({
    usage: usageJson.optional().meta({ description: 'The sum of all reports on it, with include=usage.' }),
  })
  .meta({ id: 'ListedTask' })

const listTasks = operation({
  tag: 'tasks',
  wireFields: taskWireFields,
  id: 'listTasks',
  summary: 'The tasks of all workspaces within reach that match every given filter, newest first or by sort',
  method: 'GET',
  path: '/v2/tasks',
  client: 'tasks.list',
  scope: 'tasks:read',
  query: z.object({
    q: z.string().min(1).max(400).optional().meta({
      description:
        'Words, of at most 200 characters in all. Each begins a word of the title or the description, in any case, with or without accents.',
    }),
    status: z.enum(taskStatuses).optional(),
    column: columnText.optional(),
    hold: z.enum(holdReasons).optional().meta({ description: 'Only tasks on hold for this reason.' }),
    type: z.string().min(1).max(128).optional(),
    tag: z.string().min(1).max(200).optional().meta({ description: 'Only tasks with this tag.' }),
    priority: z.enum(priorities).optional(),
    agent_id: idText.optional().meta({
      description: 'Only tasks that this agent is assigned to, works or completed.',
    }),
    assigned_to: idText.optional().meta({ description: 'Only tasks that this agent alone can take.' }),
    parent_id: idText.optional().meta({ description: 'Only the subtasks of this task.' }),
    workspace_id: idText.optional(),
    created_after: instantText.optional().meta({ description: 'Created at or after this time.' }),
    created_before: instantText.optional().meta({ description: 'Created before this time.' }),
    due_after: instantText.optional().meta({ description: 'Due at or after this time.' }),
    due_before: instantText.optional().meta({ description: 'Due before this time.' }),
    sort: z
      .enum(taskSorts)
      .default('created')
      .meta({
        description:
          'created: newest first. updated: latest change first. due: earliest deadline first, tasks without one last. ' +
          'priority_score: only tasks in todo, highest score first, tasks on hold last.',
      }),
    include: z.literal('usage').optional().meta({
      description: 'usage: each task with the sum of its reported usage.',
    }),
    ...pageQuery,
  }),
  answer: { status: 200, schema: z.object({ tasks: z.array(listedTaskJson), next_cursor: nextCursor }) },
  async run({ services, principal, query }) {
    const { q, status, column, hold, type, tag, priority, sort, limit, cursor } = query
    const page = await services.tasks.search(principal, {
      q,
      status,
      column: column && columnOf[column],
      hold,
      type,
      tag,
      priority,
      agentId: query.agent_id,
      assignedTo: query.assigned_to,
      parentId: query.parent_id,
      workspaceId: query.workspace_id,
      createdAfter: query.created_after,
      createdBefore: query.created_before,
      dueAfter: query.due_after,
      dueBefore: query.due_before,
      sort,
      limit,
      cursor,
    })
    if (query.include === undefined) {
      return { tasks: page.tasks.map(toWireFound), next_cursor: page.nextCursor }
    }
    const used = await services.usage.ofTasks(page.tasks.map(({ id }) => id))
    const tasks = page.tasks.map((found) => {
      const usage = toWireUsage(used.get(found.id) ?? noUsage)
      return { ...toWireFound(found), usage }
    })
    return { tasks, next_cursor: page.nextCursor }
  },
})

const toWireFound = (task: FoundTask) => toWireTask({ task, agent: task.agent })

/** What finds tasks. */
export const taskFindOperations = [listTasks]

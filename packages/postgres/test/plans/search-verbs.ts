import { type Storage, type Reach, type TaskSort } from '@taskboard/core'
import { anyTask, searchPlace, type TaskSearch } from '@taskboard/core/storage'
import { defaultScoring } from '@taskboard/core'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const all: Reach = { accountId: 'acc_0', workspaceIds: 'all' }
const HOUR_MS = 3_600_000
/**
 * A rare condition finds some hundred tasks, each of which is read; a frequent one passes others on the way to a full page, and which way
 * is shorter is what the planner estimates from a sample. The workspace has 600,000 tasks: none is read from end to end.
 */
const most = { rows: 200_000, pages: 500_000 }
/** To know that more than 5,000 tasks have a word, a type or a priority, the index of terms is read for it: one entry, with the places of all these tasks. */
const passing = { rows: 700_000, pages: 500_000 }

/** Searches of a workspace with most of a million tasks. Planned with their values, also by a server with `force_generic_plan`. */
export function searchVerbs({ tasks }: Storage<PgConnection>): readonly HotVerb[] {
  const search = (filter: Partial<TaskSearch>) => {
    const none = {
      ...anyTask,
      agentId: null,
      workspaceId: HUGE,
      sort: 'created',
      limit: 50,
      after: null,
    } as const
    return tasks.searchTasks({ ...none, reach: all, ...filter }, { now: NOW })
  }
  const verb = (
    name: string,
    filter: Partial<TaskSearch>,
    index: string,
    bound = most,
  ): readonly HotVerb[] => [
    {
      name: `search: ${name}`,
      indexes: [index],
      most: bound,
      scans: ['agent_runtime'],
      run: () => search(filter),
    },
    {
      name: `search: ${name}, next page`,
      most: { rows: 2 * bound.rows, pages: 2 * bound.pages },
      scans: ['agent_runtime'],
      run: async () => {
        const { found, asOf } = await search(filter)
        const last = found.at(-1)
        if (last === undefined) throw new Error(`${name} finds nothing`)
        await search({
          ...filter,
          after: searchPlace(last.task, filter.sort ?? 'created', asOf, defaultScoring),
        })
      },
    },
  ]
  const bySorts = (name: string, filter: Partial<TaskSearch>): readonly HotVerb[] =>
    (['created', 'updated', 'due', 'priority_score'] as const).flatMap((sort: TaskSort) =>
      verb(
        `${name} by ${sort}`,
        { ...filter, sort },
        'task_pkey',
        sort === 'priority_score' ? passing : most,
      ),
    )
  return [
    ...verb('a rare word', { words: ['rare1230'] }, 'task_search_terms'),
    ...verb('two words', { words: ['common', 'rare1230'] }, 'task_search_terms'),
    ...verb('a tag', { tag: 'tag72' }, 'task_pkey'),
    ...verb('by last change', { sort: 'updated' }, 'task_updated'),
    ...verb('by due date', { sort: 'due' }, 'task_search_due'),
    ...verb('due soon', { sort: 'due', dueAfter: NOW, dueBefore: NOW + HOUR_MS }, 'task_search_due'),
    ...verb('by score', { sort: 'priority_score' }, 'todo_listing'),
    ...bySorts('a rare word', { words: ['rare1230'] }),
    ...bySorts('a frequent word', { words: ['common'] }),
    ...bySorts('the beginning of a word', { words: ['rar'] }),
    ...bySorts('a type', { type: 'type2' }),
    ...bySorts('a priority', { priority: 'urgent' }),
    ...bySorts('a hold', { hold: 'needs_input' }),
    ...bySorts('open tasks', { column: 'TODO' }),
    ...bySorts('a tag and a word', { tag: 'tag72', words: ['common'] }),
    ...bySorts('created lately', { createdAfter: NOW - 2 * HOUR_MS }),
  ]
}

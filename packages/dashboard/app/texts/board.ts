import type { Task } from '@taskboard/client'

/** Of the board. */
export const boardText = {
  title: 'Board',
  newTask: 'New task',
  search: 'Search',
  searchHint: 'Search tasks',
  filter: 'Filter',
  priority: 'Priority',
  type: 'Type',
  tag: 'Tag',
  agent: 'Agent',
  any: 'Any',
  clear: 'Clear filters',
  count: (shown: number, hasMore: boolean) => `${shown}${hasMore ? '+' : ''}`,
  tasksIn: (column: string, count: string) => `${column}, ${count} tasks`,
  order: {
    todo: 'Next up first',
    doing: 'Longest running first',
    done: 'Newest first',
  } satisfies Record<Task['column'], string>,
  empty: {
    todo: 'No tasks waiting. Add one, and an agent will pick it up.',
    doing: 'No agents are working right now.',
    done: 'Finished tasks appear here.',
    filtered: 'No task matches the filters.',
  },
  moveTo: 'Move to',
  moved: (title: string, column: string) => `Moved ${title} to ${column}.`,
  moving: (title: string, column: string) => `Moving ${title} to ${column} …`,
  movedMeanwhile: (column: string) => `Someone else moved it to ${column}.`,
  moveFailed: (title: string, why: string) => `${title} was not moved. ${why}`,
  dragged: (title: string) => `Picked up ${title}.`,
  overdue: 'Overdue',
  starts: 'Starts',
  waitsFor: (count: number) => `Waits for ${count} ${count === 1 ? 'task' : 'tasks'}`,
  subtasks: (done: number, all: number, hasMore: boolean) =>
    hasMore ? `More than ${all} subtasks` : `${done} of ${all} subtasks`,
  progress: (percent: number) => `${percent} %`,
  attempts: (count: number) => `Attempt ${count}`,
  added: (title: string) => `Added ${title}.`,
} as const

/** Of the form for a new task. */
export const createText = {
  title: 'New task',
  name: 'Title',
  description: 'Description',
  descriptionHint: 'Markdown. Ctrl+Enter adds the task.',
  priority: 'Priority',
  type: 'Type',
  typeHint: 'Routes the task to agents of this type. Empty: any agent.',
  deadline: 'Due',
  notBefore: 'Not before',
  tags: 'Tags',
  tagsHint: 'Separated by commas',
  assignedTo: 'Agent',
  anyAgent: 'Any agent',
  tokens: 'Token budget',
  cost: 'Cost budget (USD)',
  add: 'Add task',
  more: 'More fields',
} as const

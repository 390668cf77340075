import { isTaskboardError, scoreTask, type Board, type Column, type Task } from '@taskboard/core'
import { parseChat, type ChatCommand } from './chat-command.js'

const SHOWN = 10
/** The largest page of a board: more than this many are counted as "1000 or more". */
const COUNTED = 1_000

const HELP = [
  'I work on the tasks of this board, best first, and understand:',
  '- add Write the report, urgent, due tomorrow (or: high, medium, low, due friday, due in 3 days, due 2026-12-01, #tag). Further lines are the description, which I run as a checklist',
  '- list todo, list doing, list done',
  '- status',
  '- result (of the task that was done last), result task_…',
  '- help',
].join('\n')

/** Carries out a chat message at `now`, and returns the reply. */
export async function answerChat(board: Board, message: string, now: number): Promise<string> {
  const command = parseChat(message, now)
  switch (command.kind) {
    case 'add':
      return addTask(board, command, now)
    case 'list':
      return listColumn(board, command.column)
    case 'status':
      return tellStatus(board)
    case 'result':
      return tellResult(board, command.taskId)
    case 'help':
      return HELP
    case 'unclear':
      return `I did not do anything: ${command.problem}.\n${HELP}`
    case 'unknown':
      return `I did not understand that.\n${HELP}`
  }
}

async function addTask(
  board: Board,
  { title, description, priority, dueDate, tags }: Extract<ChatCommand, { kind: 'add' }>,
  now: number,
): Promise<string> {
  try {
    const task = await board.add({ title, description, priority, dueDate, tags: [...tags] })
    return `Added ${describe(task)}. Its score is ${scoreTask(task, now)}.`
  } catch (error) {
    if (isTaskboardError(error, 'INVALID_FIELD')) return `I did not add a task: ${error.message}.`
    throw error
  }
}

async function listColumn(board: Board, column: Column): Promise<string> {
  const { tasks, nextCursor } = await board.list(column, { limit: SHOWN })
  if (tasks.length === 0) return `${column} is empty.`
  const more = nextCursor === null ? [] : ['… and more.']
  return [`${column}:`, ...tasks.map((task) => `- ${describe(task)}`), ...more].join('\n')
}

async function tellStatus(board: Board): Promise<string> {
  const [todo, doing, done] = await Promise.all([
    board.list('TODO', { limit: COUNTED }),
    board.list('DOING', { limit: COUNTED }),
    board.list('DONE', { limit: COUNTED }),
  ])
  const held = todo.tasks.filter(({ hold }) => hold !== null)
  const lines = [
    `TODO ${count(todo)}, DOING ${count(doing)}, DONE ${count(done)}.`,
    ...doing.tasks.slice(0, SHOWN).map((task) => `In work: ${describe(task)}, ${task.progress} %.`),
    ...held
      .slice(0, SHOWN)
      .map((task) => `On hold: ${describe(task)}, ${task.hold?.message ?? task.hold?.reason}.`),
  ]
  return lines.join('\n')
}

async function tellResult(board: Board, taskId: string | null): Promise<string> {
  try {
    const task = taskId === null ? (await board.list('DONE', { limit: 1 })).tasks[0] : await board.get(taskId)
    if (task === undefined) return 'No task is done yet.'
    return task.result ?? `${describe(task)} has no result.`
  } catch (error) {
    if (isTaskboardError(error, 'TASK_NOT_FOUND')) return 'This board has no such task.'
    throw error
  }
}

function count({ tasks, nextCursor }: { tasks: readonly Task[]; nextCursor: string | null }): string {
  return nextCursor === null ? String(tasks.length) : `${COUNTED} or more`
}

function describe({ title, id, priority, dueDate }: Task): string {
  const due =
    dueDate === null ? '' : `, due ${new Date(dueDate).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `"${title}" (${id}, ${priority}${due})`
}

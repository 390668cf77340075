import type { Approval, Comment, ListedTask, Task, TaskDetail, TaskLogLine } from '@taskboard/client'
import type { Output } from '../output/output.js'
import type { Paint, Style } from '../output/colours.js'
import { oneLine, plain, textTable } from '../output/text.js'
import { approvalPage } from './approval-text.js'
import { isNarrow, shortId } from './short-id.js'

/** A task has so many lines of its log at most. */
const SHOWN_LINES = 100

const styles: Readonly<Record<Task['status'], Style>> = {
  pending: 'blue',
  in_progress: 'cyan',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  blocked: 'yellow',
}

export function taskTable(tasks: readonly ListedTask[], output: Output): string {
  if (tasks.length === 0) return 'no tasks'
  // A title says more than its priority, and than the beginning of its id.
  const isShort = isNarrow(output)
  const rows = tasks.map((task) => [
    isShort ? shortId(task.id) : task.id,
    task.column === 'doing' ? `${task.status} ${task.progress} %` : task.status,
    ...(isShort ? [] : [task.priority]),
    task.title,
  ])
  return textTable(['ID', 'STATUS', ...(isShort ? [] : ['PRIORITY']), 'TITLE'], rows, output)
}

/** One line about a task. */
export function taskLine(task: Pick<Task, 'id' | 'status' | 'title'>, paint: Paint): string {
  return `${task.id}  ${paint(styles[task.status], task.status)}  ${oneLine(task.title)}`
}

export function taskPage(
  task: TaskDetail,
  { comments, approvals }: { readonly comments: readonly Comment[]; readonly approvals: readonly Approval[] },
  paint: Paint,
): string {
  const facts = Object.entries({
    id: task.id,
    status: task.status + (task.hold === null ? '' : ` (${task.hold.reason})`),
    column: task.column,
    priority: task.priority,
    type: task.type,
    progress: task.column === 'doing' ? `${task.progress} %` : null,
    agent: task.agent?.name ?? null,
    'taken by': task.taken_by && nameOf(task.taken_by),
    attempts: task.attempts === 0 ? null : task.attempts,
    deadline: task.deadline,
    tags: task.tags.length === 0 ? null : task.tags.join(', '),
    'depends on': task.depends_on.length === 0 ? null : task.depends_on.join(', '),
    'part of': task.parent_id,
    created: task.created_at,
    completed: task.completed_at,
  }).filter(([, value]) => value !== null)
  const sections = [
    section('Description', task.description, paint),
    section('On hold', task.hold?.message ?? null, paint),
    ...approvals.map((one) => `\n${paint('bold', 'Waits for approval')}\n${approvalPage(one, paint)}`),
    section('Result', task.result, paint),
    section(
      'Log',
      logLines(task.logs) +
        (task.logs.length < SHOWN_LINES
          ? ''
          : `\n(the newest ${SHOWN_LINES} lines; all of them: taskboard logs ${task.id})`),
      paint,
    ),
    section(
      'Outputs',
      task.outputs.map((output) => oneLine(`${output.type}  ${output.name}  ${output.url}`)).join('\n'),
      paint,
    ),
    section('Thread', commentLines(comments), paint),
  ]
  const lines = facts.map(([name, value]) => {
    const text = oneLine(String(value))
    return name.padEnd(12) + (name === 'status' ? paint(styles[task.status], text) : text)
  })
  return [paint('bold', oneLine(task.title)), ...lines, ...sections].filter((text) => text !== '').join('\n')
}

export function logLines(lines: readonly TaskLogLine[]): string {
  return lines
    .map(({ timestamp, level, message }) => `${timestamp}  ${level}  ${oneLine(message)}`)
    .join('\n')
}

export function commentLines(comments: readonly Comment[]): string {
  return comments.map(({ author, kind, body }) => plain(`${nameOf(author)} (${kind}): ${body}`)).join('\n')
}

function nameOf({ name, id, kind }: NonNullable<Task['taken_by']>): string {
  return name ?? id ?? kind
}

function section(heading: string, text: string | null, paint: Paint): string {
  return text === null || text === '' ? '' : `\n${paint('bold', heading)}\n${plain(text)}`
}

import type { Task } from '../../board/index.js'
import type { Instant } from '../../environment/index.js'
import { scoreTask, type Scoring } from '../../priority/index.js'

/** The parts of a task's JSON that do not depend on its score. A stored task never changes, so they are made once. */
interface TaskText {
  readonly beforeScore: string
  readonly afterScore: string
}

const texts = new WeakMap<Task, TaskText>()

/** A task with all its listed fields as JSON, with the score as of `now`, and `hold` only if it has one. */
export function listedTaskJson(task: Task, now: Instant, scoring: Scoring): string {
  let text = texts.get(task)
  if (text === undefined) {
    text = toListedText(task)
    texts.set(task, text)
  }
  return text.beforeScore + scoreTask(task, now, scoring) + text.afterScore
}

/** The five fields of a task in the answers to add and move, as JSON. */
export function createdTaskJson(task: Task, now: Instant, scoring: Scoring): string {
  const title = JSON.stringify(task.title)
  const score = scoreTask(task, now, scoring)
  return `{"id":"${task.id}","title":${title},"status":"${task.column}","priority_score":${score},"created_at":${time(task.createdAt)}}`
}

function toListedText(task: Task): TaskText {
  const { id, title, description, priority, column, createdAt, dueDate, tags, hold } = task
  const holdText = hold && `,"hold":${JSON.stringify({ reason: hold.reason, message: hold.message })}`
  return {
    beforeScore: `${JSON.stringify({ id, title, description, priority }).slice(0, -1)},"priority_score":`,
    afterScore: `,"status":"${column}","created_at":${time(createdAt)},"due_date":${time(dueDate)},"tags":${JSON.stringify(tags)}${holdText ?? ''}}`,
  }
}

let lastInstant: Instant = Number.NaN
let lastText = ''

/** A time as JSON: ISO 8601 in UTC with milliseconds. Keeps the last text, because calls in a row mostly have the same time. */
export function time(instant: Instant | null): string {
  if (instant === null) return 'null'
  if (instant !== lastInstant) {
    lastText = `"${new Date(instant).toISOString()}"`
    lastInstant = instant
  }
  return lastText
}

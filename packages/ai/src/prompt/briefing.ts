import { whoSaid, type Approval, type Task, type TaskClaim } from '@taskboard/core'
import type { DoneCall } from '../calls/approved-calls.js'
import type { Records } from '../run/records.js'
import { fitSection, type Entry } from '../model/fit-section.js'
import { between } from './mark.js'

interface Section {
  readonly about: string
  readonly entries: readonly Entry[]
  /** How much of the prompt it may take at most. */
  readonly share: number
}

/** The first message of a run: the task and all that belongs to it, the most important first. Text beyond the limit is cut off there. */
export function briefing({
  task,
  claim,
  records,
  done,
  mark,
  most,
}: {
  readonly task: Task
  readonly claim: TaskClaim
  readonly records: Records
  readonly done: readonly DoneCall[]
  readonly mark: string
  readonly most: number
}): string {
  const sections: readonly Section[] = [
    { about: 'task', entries: [taskEntry(task)], share: 0.5 },
    { about: 'calls that were approved and done now', entries: done.map(doneEntry), share: 0.4 },
    { about: 'your last question and its answer', entries: lastAnswer(claim).map(commentEntry), share: 0.3 },
    { about: 'thread', entries: claim.comments.map(commentEntry), share: 0.4 },
    { about: 'dependencies', entries: claim.dependencies.map(dependencyEntry), share: 0.5 },
    {
      about: 'approvals',
      entries: records.approvals.map((each) => approvalEntry(each, records.usedNow)),
      share: 0.3,
    },
    { about: 'earlier attempts', entries: claim.earlierAttempts.map(attemptEntry), share: 0.2 },
    { about: 'outputs', entries: records.outputs.map((output) => ({ fields: { ...output } })), share: 0.2 },
    { about: 'log', entries: records.logs.map(logEntry), share: 0.2 },
  ]
  let left = most
  const parts = sections.flatMap(({ about, entries, share }) => {
    if (entries.length === 0) return []
    const text = fitSection(entries, Math.min(left, Math.floor(most * share)))
    left = Math.max(0, left - text.length)
    return [between(mark, about, text)]
  })
  return ['Work on this task.', ...parts].join('\n\n')
}

function iso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

function taskEntry(task: Task): Entry {
  const { id, title, type, priority, dueDate, tags, metadata, description } = task
  const fields = { id, title, type, priority, due: iso(dueDate), tags, metadata, description }
  return { fields, long: 'description' }
}

function doneEntry({ toolName, input, result }: DoneCall): Entry {
  return { fields: { tool: toolName, input, result }, long: 'result' }
}

function commentEntry(comment: TaskClaim['comments'][number]): Entry {
  const { body, createdAt } = comment
  return { fields: { what: whoSaid(comment), at: iso(createdAt), body }, long: 'body' }
}

/** In a long thread, they would be the first to be left out. */
function lastAnswer({ answer, comments }: TaskClaim): TaskClaim['comments'] {
  if (answer === null) return []
  const place = comments.findIndex(({ id }) => id === answer.id)
  const question = comments.slice(0, Math.max(0, place)).findLast(({ kind }) => kind === 'question')
  return question === undefined ? [answer] : [question, answer]
}

function dependencyEntry({ id, title, result }: TaskClaim['dependencies'][number]): Entry {
  return { fields: { id, title, result }, long: 'result' }
}

const MEANINGS: Readonly<Record<Approval['status'], string>> = {
  pending: 'no one has decided',
  approved: 'approved, and not used yet',
  rejected: 'rejected: do not do it',
  used: 'approved and used: it was done, unless an attempt ended there',
  expired: 'no one decided in time',
}

function approvalEntry({ id, action, input, status, comment }: Approval, usedNow: Records['usedNow']): Entry {
  const meaning = usedNow.has(id) ? 'approved, and done now' : MEANINGS[status]
  return {
    fields: { action, status: meaning, comment, input: JSON.stringify(input) },
    long: 'input',
  }
}

function attemptEntry({ startedAt, endedAt, outcome, reason }: TaskClaim['earlierAttempts'][number]): Entry {
  return { fields: { from: iso(startedAt), to: iso(endedAt), outcome, reason }, long: 'reason' }
}

function logEntry({ at, level, message }: Records['logs'][number]): Entry {
  return { fields: { at: iso(at), level, message }, long: 'message' }
}

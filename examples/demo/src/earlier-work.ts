import type { Comment, Task, TaskContext } from '@taskboard/core'
import type { Step } from './checklist.js'
import { quote } from './checklist-report.js'

/** Which lines earlier attempts at a task have done, and a way to note more of them. */
export interface EarlierWork {
  /** For each step, what happened to it; null for a step that is still to be worked. */
  readonly outcomes: readonly (string | null)[]
  /** Notes a step that has an effect, so that later attempts skip it. It is kept from the next `keep` on. */
  note(step: Step): Promise<void>
  /** Writes what was noted into the task's conversation. */
  keep(): Promise<void>
}

/** How many comments a claim has at most. */
const COMMENTS_OF_CLAIM = 100
const PAGE = 1_000
const LONGEST_TITLE = 200
/** Below the longest comment. */
const LONGEST_NOTE = 15_000
/** The first line of a comment that lists what was done. */
const DONE = 'Done:'

/** The outcome of a step whose text says it all. */
export const ALERTED = 'people were alerted'
export const APPROVED = 'approved, and done'

/**
 * An attempt starts at the first line, in any process, so it reads from the board which lines are done. A question has an answer behind it
 * in the comments, and a subtask is a dependency with that title. Other effects were noted by an agent. People's comments note nothing.
 */
export async function readEarlierWork(
  task: Task,
  steps: readonly Step[],
  { claim, board }: Pick<TaskContext, 'claim' | 'board'>,
): Promise<EarlierWork> {
  const isAll = claim.comments.length < COMMENTS_OF_CLAIM
  const comments = isAll ? claim.comments : await allComments(task, board)
  const nextAnswer = inTurn(answersOf(comments))
  const nextNote = inTurn(notesOf(comments))
  const nextResult = inTurn(claim.dependencies.map(({ title, result }) => [title, result ?? ''] as const))

  const outcomeOf = (step: Step): string | null => {
    switch (step.kind) {
      case 'ask': {
        const answer = nextAnswer(step.text)
        return answer === undefined ? null : `answered: ${quote(answer)}`
      }
      case 'subtask': {
        const result = nextResult(titleOf(step))
        return result === undefined ? null : `done as a subtask: ${quote(result) || 'without a result'}`
      }
      case 'approval':
        return nextNote(lineOf(step)) === undefined ? null : APPROVED
      case 'alert':
        return nextNote(lineOf(step)) === undefined ? null : ALERTED
      case 'wait':
        return nextNote(lineOf(step)) === undefined ? null : 'waited before'
      case 'ticked':
      case 'item':
      case 'question':
        return null
    }
  }
  let noted: string[] = []
  const keep = async (): Promise<void> => {
    if (noted.length === 0) return
    const body = [DONE, ...noted].join('\n')
    noted = []
    await board.comment(task.id, { body })
  }
  return {
    outcomes: steps.map(outcomeOf),
    keep,
    async note(step) {
      const line = lineOf(step)
      if (noted.join('\n').length + line.length > LONGEST_NOTE) await keep()
      noted.push(line)
    },
  }
}

/** The title of the task that a line becomes. */
export function titleOf({ text }: Step): string {
  return Array.from(text).slice(0, LONGEST_TITLE).join('').trim()
}

async function allComments({ id }: Task, board: TaskContext['board']): Promise<readonly Comment[]> {
  const all: Comment[] = []
  let cursor: string | null = null
  do {
    const page = await board.comments(id, { limit: PAGE, cursor })
    all.push(...page.comments)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}

function answersOf(comments: readonly Comment[]): readonly (readonly [string, string])[] {
  let question: string | null = null
  return comments.flatMap(({ kind, body }) => {
    if (kind === 'question') question = body
    if (kind !== 'answer' || question === null) return []
    const answered = [question, body] as const
    question = null
    return [answered]
  })
}

function notesOf(comments: readonly Comment[]): readonly (readonly [string, true])[] {
  return comments
    .filter(
      ({ kind, author, body }) =>
        kind === 'comment' && author.kind === 'agent' && body.startsWith(`${DONE}\n`),
    )
    .flatMap(({ body }) => body.split('\n').slice(1))
    .map((line) => [line, true] as const)
}

/** A line as it is noted. */
function lineOf({ kind, text }: Step): string {
  const sign = kind === 'approval' ? '! ' : kind === 'alert' ? 'alert: ' : ''
  return `${sign}${text}`.slice(0, LONGEST_NOTE).toWellFormed()
}

/** Returns the values of a text one after the other, so that equal lines don't share one. */
function inTurn<T>(entries: readonly (readonly [string, T])[]): (text: string) => T | undefined {
  const waiting = new Map<string, T[]>()
  for (const [text, value] of entries) waiting.set(text, [...(waiting.get(text) ?? []), value])
  return (text) => waiting.get(text)?.shift()
}

import type { RealtimeMessage } from '@taskboard/client'
import { taskIdOf } from '../state/live.js'
import { nameOf } from '../state/people.js'
import { text } from '../texts/index.js'

const words = text.inbox.endings

interface Ending {
  readonly label: string
  /** A label that says who it was stays. */
  readonly isNamed: boolean
}

/** How the last wait of a task ended, by its id. */
const endings = new Map<string, Ending>()
const MOST_KEPT = 1_000

/** Notes how the wait of a task ended. */
export function noteEnding(taskId: string, label: string, isNamed = false): void {
  if (endings.get(taskId)?.isNamed === true && !isNamed) return
  endings.delete(taskId)
  endings.set(taskId, { label, isNamed })
  const [oldest] = endings.keys()
  if (endings.size > MOST_KEPT && oldest !== undefined) endings.delete(oldest)
}

/** What stands where a task waited. */
export function endingOf(taskId: string): string {
  return endings.get(taskId)?.label ?? words.elsewhere
}

/** The task waits again: what ended the wait before says nothing about this one. */
export function forgetEnding(taskId: string): void {
  endings.delete(taskId)
}

const unnamed: Readonly<Partial<Record<RealtimeMessage['type'], string>>> = {
  'task.cancelled': words.cancelled,
  'task.deleted': words.deleted,
  'task.moved': words.moved,
}

/** Takes in the end of a wait from a message. */
export function hearEnding(message: RealtimeMessage): void {
  const taskId = taskIdOf(message)
  if (taskId === null) return
  const label = unnamed[message.type]
  if (label !== undefined) return noteEnding(taskId, label)
  if (message.type !== 'task.commented') return
  const { kind, author, body } = message.data
  const name = nameOf(author)
  if (kind === 'answer') noteEnding(taskId, words.answered(name), true)
  if (kind === 'decision')
    noteEnding(taskId, (body.startsWith('Approved') ? words.approved : words.rejected)(name), true)
}

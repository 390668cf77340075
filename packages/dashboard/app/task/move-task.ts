import { client } from '../state/api.js'
import { connection } from '../state/live.js'
import { complain, inform } from '../state/notices.js'
import type { CardTask, Column, Task } from '../state/wire.js'
import { isWorkedOn } from '../state/work.js'
import { text } from '../texts/index.js'
import { ask } from '../ui/ask.js'

const words = text.task.move

type Moved = Pick<CardTask, 'id' | 'title' | 'column' | 'attempts' | 'hold' | 'agent' | 'result'>

/** A task has at most 50 that aren't done. */
const MOST_OPEN = 50
const PATIENCE_MS = 3_000

/** How many subtasks of a task aren't done; 0 when that can't be found out now. */
async function openSubtasks(id: string): Promise<number> {
  // A move that is made without a connection waits for it, and is not asked about.
  if (connection.peek() !== 'open') return 0
  const query = { parent_id: id, limit: 2 * MOST_OPEN } as const
  const answer = await client.tasks.list(query, { timeoutMs: PATIENCE_MS }).catch(() => null)
  return answer?.tasks.filter(({ column }) => column !== 'done').length ?? 0
}

/** The question to a person before a move that can't be taken back in full; null for other moves. */
async function warningOf(task: Moved, to: Column): Promise<string | null> {
  if (task.column === to) return null
  if (isWorkedOn(task)) return words.stops(task.agent?.name ?? words.anAgent, task.title)
  if (task.column === 'done') return task.result === null ? null : words.losesResult(task.title)
  if (to !== 'done') return null
  const open = await openSubtasks(task.id)
  return open === 0 ? null : words.leavesOpen(task.title, open)
}

/** Where a move back leads; null when it wouldn't bring back what was. */
function wayBack({ column, attempts, hold, result }: Moved): Column | null {
  if (hold !== null || (column === 'done' && result !== null)) return null
  return isWorkedOn({ column, attempts }) ? 'todo' : column
}

/** What is said after a move. */
function moved(task: Moved, to: Column): string {
  const said = text.board.moved(task.title, text.columns[to])
  return task.hold === null ? said : `${said} ${words.holdEnded(text.holds[task.hold.reason])}`
}

async function moveBack(task: Moved, { from, to }: Record<'from' | 'to', Column>, move: Move): Promise<void> {
  try {
    // An agent, or somebody else, may have gone on with it.
    const now: Task = await client.tasks.get(task.id)
    if (now.column !== from || isWorkedOn(now)) throw new Error(words.changedMeanwhile(task.title))
    await move(to)
    const back = text.board.moved(task.title, text.columns[to])
    inform(isWorkedOn(task) ? `${back} ${words.notResumed}` : back)
  } catch (error) {
    complain(error)
  }
}

type Move = (to: Column) => Promise<unknown>

/**
 * Moves a task for a person: asks where a move does more than it shows, and says afterward what happened, with a way back. Resolves to
 * whether it was moved.
 * @throws what `move` throws
 */
export async function moveTask(task: Moved, to: Column, move: Move): Promise<boolean> {
  const warning = await warningOf(task, to)
  const question = { title: words.title(text.columns[to]), action: words.action }
  if (warning !== null && !(await ask({ ...question, message: warning }))) return false
  await move(to)
  const back = wayBack(task)
  const undo = {
    label: words.undo,
    run: () => back !== null && void moveBack(task, { from: to, to: back }, move),
  }
  inform(moved(task, to), back === null || back === to ? undefined : undo)
  return true
}

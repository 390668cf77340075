import { batch, computed, effect, signal, untracked } from '@preact/signals'
import type { RealtimeMessage } from '@taskboard/client'
import { can, client, shownWorkspaceId } from '../state/api.js'
import { explain, type Failure } from '../state/failure.js'
import { coalesce } from '../state/coalesce.js'
import { connection, isLoss, onMessage, taskIdOf } from '../state/live.js'
import { phase } from '../state/start.js'
import type { MonthlyBudget, Task } from '../state/wire.js'
import { text } from '../texts/index.js'
import { reasons, type Reason } from './shown-entries.js'

/** Beyond it the count is `99+`. */
const MOST_COUNTED = 99
/** As many of a kind are read while the inbox is shown. */
const MOST_SHOWN = 1_000
const RELOAD_MS = 500
/** The count is read when the page hears of changes, so that it is read once; at the latest after this time. */
const PATIENCE_MS = 1_000

/** The tasks that wait, by the reason, oldest first. */
export const held = signal<Readonly<Record<Reason, readonly Task[]>>>({
  needs_input: [],
  approval: [],
  failed: [],
  budget: [],
})
/** The monthly budgets that are spent: agents under them take no tasks. */
export const spent = signal<readonly MonthlyBudget[]>([])
/** Whether there are more than were read. */
export const hasMore = signal(false)
/** Whether it was read for the workspace that is shown. */
export const isKnown = signal(false)
export const waitingFailure = signal<Failure | null>(null)
/** Whether the inbox is shown, which needs more than the count. */
export const isInboxOpen = signal(false)

/** How many things wait for a person in the workspace that is shown. */
export const waiting = computed(() =>
  reasons.reduce((sum, reason) => sum + held.value[reason].length, spent.value.length),
)
/** The same for people: `99+` when there are more. */
export const waitingLabel = computed(() =>
  waiting.value > MOST_COUNTED ? `${MOST_COUNTED}+` : String(waiting.value),
)

const since = ({ hold }: Task): string => hold?.since ?? ''

async function readHeld(id: string, reason: Reason, most: number, abort: AbortSignal): Promise<boolean> {
  const query = { workspace_id: id, hold: reason, limit: most } as const
  const { tasks, next_cursor: next } = await client.tasks.list(query, { signal: abort })
  // They come newest first; those of the same moment stay in the order of their creation.
  const sorted = tasks.toReversed().toSorted((one, other) => since(one).localeCompare(since(other)))
  if (!abort.aborted) held.value = { ...held.peek(), [reason]: sorted }
  return next !== null
}

async function readSpent(id: string, most: number, abort: AbortSignal): Promise<void> {
  if (!can('agents:read')) return
  const found: MonthlyBudget[] = []
  for await (const budget of client.budgets.listAll({ workspace_id: id, limit: 1_000 }, { signal: abort })) {
    if (budget.is_spent) found.push(budget)
    if (found.length >= most) break
  }
  if (!abort.aborted) spent.value = found
}

/** Takes a task out: it was handled. */
export function forget(taskId: string): void {
  const now = held.peek()
  if (!reasons.some((reason) => now[reason].some(({ id }) => id === taskId))) return
  const without = (reason: Reason) => now[reason].filter(({ id }) => id !== taskId)
  held.value = {
    needs_input: without('needs_input'),
    approval: without('approval'),
    failed: without('failed'),
    budget: without('budget'),
  }
}

/** Whether a message is older (-1: the task was read before the page heard of it), as old (0) or newer (1) than the wait. */
function orderToWait(message: Parameters<Parameters<typeof onMessage>[0]>[0], taskId: string): number {
  const task = reasons.flatMap((reason) => held.peek()[reason]).find(({ id }) => id === taskId)
  if (task === undefined || !('timestamp' in message)) return 1
  return message.timestamp.localeCompare(since(task))
}

const ending = new Set<RealtimeMessage['type']>([
  'task.released',
  'task.started',
  'task.completed',
  'task.moved',
  'task.cancelled',
  'task.deleted',
])

type Source = Reason | 'spent'

/** What is read again now; set while something is followed. */
let readAgain: (() => void) | null = null

/** Reads the monthly budgets again, and all else that waits. */
export function reloadWaiting(): void {
  readAgain?.()
}

/** Follows what waits in a workspace. Returns what ends that. */
function follow(id: string, most: number): () => void {
  const abort = new AbortController()
  const dirty = new Set<Source>()
  const isReading = { value: false }
  const more = new Set<Source>()

  async function read(): Promise<void> {
    if (isReading.value) return
    isReading.value = true
    const sources = [...dirty]
    dirty.clear()
    try {
      await Promise.all(
        sources.map(async (source) => {
          if (source === 'spent') return readSpent(id, most, abort.signal)
          if (await readHeld(id, source, most, abort.signal)) more.add(source)
          else more.delete(source)
        }),
      )
      if (abort.signal.aborted) return
      batch(() => {
        hasMore.value = more.size > 0
        waitingFailure.value = null
        isKnown.value = true
      })
    } catch (error) {
      if (abort.signal.aborted) return
      for (const source of sources) dirty.add(source)
      waitingFailure.value = explain(error)
      return
    } finally {
      isReading.value = false
    }
    if (dirty.size > 0) again()
  }
  const again = coalesce(() => void read(), RELOAD_MS)
  const isCountOnly = most <= MOST_COUNTED + 1
  const delayMs = isCountOnly && connection.peek() === 'connecting' ? PATIENCE_MS : 0
  const begin = setTimeout(() => all(), delayMs)
  function all(): void {
    clearTimeout(begin)
    for (const source of [...reasons, 'spent' as const]) dirty.add(source)
    void read()
  }

  const stop = onMessage((message) => {
    if (isLoss(message)) return all()
    const taskId = taskIdOf(message)
    if (taskId === null) return
    const known = reasons.filter((reason) => held.peek()[reason].some((task) => task.id === taskId))
    if (message.type === 'task.failed') {
      dirty.add(message.data.reason)
      if (message.data.reason === 'budget') dirty.add('spent')
      return again()
    }
    if (ending.has(message.type)) {
      const order = orderToWait(message, taskId)
      if (order < 0) return
      if (order > 0) {
        forget(taskId)
        // A read on its way may still have it, and makes room for one that was not read.
        if (!isReading.value && !hasMore.peek()) return
      }
      for (const reason of isReading.value ? reasons : known) dirty.add(reason)
      return again()
    }
    if (message.type === 'task.updated' && known.length > 0) {
      for (const reason of known) dirty.add(reason)
      again()
    }
  })
  readAgain = all
  return () => {
    abort.abort()
    clearTimeout(begin)
    again.cancel()
    stop()
    readAgain = null
  }
}

let shown: string | null = null

effect(() => {
  const id = shownWorkspaceId.value
  const most = isInboxOpen.value ? MOST_SHOWN : MOST_COUNTED + 1
  if (phase.value !== 'ready' || id === undefined) return undefined
  return untracked(() => {
    if (!can('tasks:read')) return undefined
    if (shown !== id) {
      shown = id
      held.value = { needs_input: [], approval: [], failed: [], budget: [] }
      spent.value = []
      isKnown.value = false
    }
    return follow(id, most)
  })
})

effect(() => {
  document.title = waiting.value > 0 ? `(${waitingLabel.value}) ${text.product}` : text.product
})

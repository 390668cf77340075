import type { Board, Column, HoldReason, Task, Taskboard } from '@taskboard/core'
import { realtimeEndpoint, type Socket } from '@taskboard/core/transport'

/** What a screen shows of a task. */
export interface Shown {
  readonly column: Column
  /** Why it is on hold. Another message for the same reason raises no event. */
  readonly hold: HoldReason | null
  readonly title: string
  readonly description: string | null
  readonly priority: string
  readonly type: string | null
  readonly assignedTo: string | null
  readonly dueDate: number | null
  readonly tags: readonly string[]
  readonly dependsOn: readonly string[]
}

/** A board as a screen shows it. */
export interface Screen {
  readonly tasks: ReadonlyMap<string, Shown>
  /** How many comments each task has, of those that have any. */
  readonly comments: ReadonlyMap<string, number>
  /** The state of each approval that is pending or was decided. */
  readonly approvals: ReadonlyMap<string, string>
}

/** A message of the realtime channel. */
export interface Message {
  readonly type: string
  readonly seq?: number
  readonly timestamp?: string
  readonly data?: Readonly<Record<string, unknown>>
}

const columns = ['TODO', 'DOING', 'DONE'] as const

function toShown({ hold, ...task }: Task): Shown {
  const { column, title, description, priority, type, assignedTo, dueDate, tags, dependsOn } = task
  const shown = { column, title, description, priority, type, assignedTo, dueDate, tags, dependsOn }
  return { ...shown, hold: hold?.reason ?? null }
}

/** The board as one that reads it sees it. */
export async function readScreen<Tx>(
  taskboard: Taskboard<Tx>,
  { accountId, workspaceId }: { readonly accountId: string; readonly workspaceId: string },
): Promise<Screen> {
  const board = taskboard.board(workspaceId)
  const tasks = new Map<string, Shown>()
  const comments = new Map<string, number>()
  for (const column of columns) {
    const list = await board.list(column, { limit: 1_000 })
    for (const task of list.tasks) {
      tasks.set(task.id, toShown(task))
      if (!task.hasComments) continue
      comments.set(task.id, (await board.comments(task.id, { limit: 1_000 })).comments.length)
    }
  }
  const reach = { accountId, workspaceIds: 'all' } as const
  const { approvals } = await taskboard.approvals.search(reach, { limit: 1_000 })
  const states = approvals.map(({ id, status }) => [id, status === 'used' ? 'approved' : status] as const)
  return { tasks, comments, approvals: new Map(states) }
}

/** A screen that has read an empty board, and from then on only listens. It reads tasks by their ids when an event names their fields. */
export function listeningScreen<Tx>(board: Board<Tx>) {
  const tasks = new Map<string, Shown>()
  const comments = new Map<string, number>()
  const approvals = new Map<string, string>()
  const ofTask = new Map<string, string>()

  function change(id: string, to: Partial<Shown>): void {
    const before = tasks.get(id)
    if (before !== undefined) tasks.set(id, { ...before, ...to })
  }

  async function parseFields(id: string, fields: readonly string[]): Promise<void> {
    // It may be gone by now.
    const task = await board.get(id).catch(() => null)
    if (task === null) return
    const entries = Object.entries(toShown(task)).filter(([name]) => fields.includes(wireName(name)))
    change(id, Object.fromEntries(entries))
  }

  /** Takes in one event. */
  async function hear({ type, data = {} }: Message): Promise<void> {
    const id = String(data['task_id'])
    switch (type) {
      case 'task.created':
        tasks.set(id, createdTask(data))
        break
      case 'task.started':
        return change(id, { column: 'DOING', hold: null })
      case 'task.completed':
        return change(id, { column: 'DONE', hold: null })
      case 'task.moved':
        return change(id, { column: data['to'] as Column, hold: null })
      case 'task.failed':
        return change(id, { column: 'TODO', hold: data['reason'] as HoldReason })
      case 'task.cancelled':
        return change(id, { column: 'TODO', hold: 'cancelled' })
      case 'task.released':
        return change(id, { hold: null })
      case 'task.updated':
        return parseFields(id, data['fields'] as readonly string[])
      case 'task.deleted':
        tasks.delete(id)
        comments.delete(id)
        for (const [approval, task] of ofTask) if (task === id) approvals.delete(approval)
        break
      case 'task.commented':
        comments.set(id, (comments.get(id) ?? 0) + 1)
        break
      case 'approval.requested':
        approvals.set(String(data['approval_id']), 'pending')
        ofTask.set(String(data['approval_id']), id)
        break
      case 'approval.decided':
        approvals.set(String(data['approval_id']), String(data['decision']))
    }
  }

  let heard = Promise.resolve()
  const screen: Screen = { tasks, comments, approvals }
  return {
    screen,
    hear: (message: Message) => void (heard = heard.then(() => hear(message))),
    /** Resolves when all messages are taken in. */
    settled: () => heard,
  }
}

const wireName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function createdTask(data: Readonly<Record<string, unknown>>): Shown {
  const due = data['due_date'] as string | null
  return {
    column: 'TODO',
    hold: null,
    title: String(data['title']),
    description: data['description'] as string | null,
    priority: String(data['priority']),
    type: data['type'] as string | null,
    assignedTo: data['assigned_to'] as string | null,
    dueDate: due === null ? null : Date.parse(due),
    tags: data['tags'] as readonly string[],
    dependsOn: data['depends_on'] as readonly string[],
  }
}

/** Subscribes to a workspace; `onMessage` is called for each message. Resolves once subscribed. */
export async function subscribe<Tx>(
  taskboard: Taskboard<Tx>,
  { key, workspaceId }: { readonly key: string; readonly workspaceId: string },
  onMessage: (message: Message) => void,
): Promise<() => void> {
  const endpoint = realtimeEndpoint(taskboard)
  const subscribed: (() => void)[] = []
  const isSubscribed = new Promise<void>((resolve) => void subscribed.push(resolve))
  const socket: Socket = {
    bufferedBytes: 0,
    send({ texts }, written) {
      for (const text of texts) {
        const message = JSON.parse(text) as Message
        if (message.type === 'auth.ok')
          listener.received(JSON.stringify({ type: 'subscribe', channels: [`workspace.${workspaceId}`] }))
        else if (message.type === 'subscribed') subscribed[0]?.()
        else onMessage(message)
      }
      written?.()
    },
    ping: () => listener.ponged(),
    close: () => undefined,
    terminate: () => undefined,
  }
  const origin = { clientAddress: '203.0.113.1', header: () => undefined }
  const listener = endpoint.connect(socket, origin, endpoint.channel)
  listener.received(JSON.stringify({ type: 'auth', token: `Bearer ${key}` }))
  await isSubscribed
  return () => listener.gone()
}

import { credentialDigest } from '../access/index.js'
import type { Approval, ApprovalStore, Task, TaskStore } from '../board/index.js'
import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import { shortDigest, visible } from '../events/index.js'
import type { BotStore, MessageOffer, MessagePlace } from './bot-store.js'

/** How long a person can take back a task that a message added. */
export const undoMs = 30_000

/** What a card says of its task. */
export type CardState =
  | 'waiting'
  | 'working'
  | 'asks'
  | 'approval'
  | 'held'
  | 'cancelled'
  | 'failed'
  | 'done'
  | 'deleted'
  | 'moved'

/** The approval that a card shows. Invisible characters of its request are escaped, so that two requests that differ look different. */
export interface CardApproval {
  readonly action: string
  readonly summary: string
  /** The whole input, as JSON. */
  readonly inputText: string
  /** The first digits of its digest, which people compare. */
  readonly digest: string
  readonly status: Approval['status']
  /** Who decided; null before. */
  readonly decidedBy: string | null
  readonly comment: string | null
}

/** A card with all that it shows, for a bot to render. Its texts are what people and agents wrote: escape them. */
export interface Card {
  readonly conversationId: string
  readonly replyTo: string | null
  /** The message to edit; null for one to post. */
  readonly ref: string | null
  readonly placeId: string
  readonly state: CardState
  readonly title: string
  /** What people call the task by in commands, such as `#k3x9wd`. */
  readonly handle: string
  readonly priority: Task['priority']
  readonly tags: readonly string[]
  readonly type: string | null
  readonly dueDate: Instant | null
  /** The zone in which times are shown. */
  readonly timeZone: string
  /** The name of the agent that works on it, has completed it, or is to do it; null for none. */
  readonly agent: string | null
  readonly progress: number
  /** The question, the reason of a hold, or the result; null for none. */
  readonly text: string | null
  readonly approval: CardApproval | null
  /** What each button carries; null for no buttons. */
  readonly buttons: { readonly undo: string } | { readonly approve: string; readonly reject: string } | null
  /** The page of the task in the dashboard. */
  readonly url: string | null
  /** Of a card that was replaced: the message of the newer one; null for none. */
  readonly newer: string | null
}

const HANDLE_CHARACTERS = 6

/** What people call a task by in commands. */
export const handleOf = (taskId: string): string => `#${taskId.slice(-HANDLE_CHARACTERS)}`

/** The token of a button: whose it is, the secret, and which of the buttons. At most 64 bytes. */
export const buttonToken = (placeId: string, secret: string, action: ButtonAction): string =>
  `${placeId}.${secret}.${action}`

/** `a`: approve, `r`: reject, `u`: undo, `y`: link, `n`: do not link. */
export type ButtonAction = 'a' | 'r' | 'u' | 'y' | 'n'

const TOKEN = /^((?:mms|mlc)_[0-9a-z]{1,40})\.([\w-]{11})\.([aruyn])$/

/** A token of a button in its parts; null for anything else. */
export function readToken(
  token: string,
): { readonly id: string; readonly secretHash: string; readonly action: ButtonAction } | null {
  const [, id, secret, action] = TOKEN.exec(token) ?? []
  if (id === undefined || secret === undefined) return null
  return { id, secretHash: secretDigest(secret), action: action as ButtonAction }
}

/** A secret of 64 bits for buttons. */
export const newSecret = ({ random }: Pick<Environment, 'random'>): string =>
  Buffer.from(random.bytes(8)).toString('base64url')

export const secretDigest = (secret: string): string => credentialDigest(`button ${secret}`)

/** What a card shows, before its buttons have a secret. */
export interface CardView {
  readonly card: Omit<Card, 'buttons'>
  /** What its buttons are to do; null for no buttons. */
  readonly offer: Omit<MessageOffer, 'secretHash'> | null
  /** A digest of both. */
  readonly digest: string
  /** In how many milliseconds it changes by itself; null: never. */
  readonly changesInMs: number | null
}

export interface CardDeps<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'getTask'>
  readonly approvals: Pick<ApprovalStore<Tx>, 'listApprovals'>
  readonly store: Pick<BotStore<Tx>, 'listMessages'>
  /** Whether the conversation of a card may still see its task. */
  readonly maySee: (place: MessagePlace) => Promise<boolean>
  readonly taskUrl: (taskId: string) => string | null
}

/** Reads what a card shows now; null when its conversation may not see the task any more. */
export function createCards<Tx>(deps: CardDeps<Tx>): {
  view(place: MessagePlace): Promise<CardView | null>
} {
  const { environment, tasks, approvals, store, maySee, taskUrl } = deps

  async function readTask({ workspaceId, taskId }: MessagePlace) {
    const parts = ['task', 'agent', 'question', 'answer'] as const
    try {
      return await tasks.getTask({ within: workspaceId, taskId, parts }, environment.call())
    } catch (error) {
      if (isTaskboardError(error, 'TASK_NOT_FOUND')) return null
      throw error
    }
  }

  /** The newest approval of the task. */
  async function readApproval({ workspaceId, taskId }: MessagePlace): Promise<Approval | null> {
    const query = { within: workspaceId, approvalId: null, taskId, status: null, limit: 1, afterId: null }
    return (await approvals.listApprovals(query, environment.call())).approvals[0] ?? null
  }

  async function newerOf({ bot, conversationId, taskId }: MessagePlace): Promise<MessagePlace | null> {
    const live = await store.listMessages({ bot, conversationId }, environment.call())
    return live.find((place) => place.taskId === taskId) ?? null
  }

  return {
    async view(place) {
      if (!(await maySee(place))) return null
      const read = await readTask(place)
      const isEnded = place.state === 'ended'
      const newer = isEnded ? await newerOf(place) : null
      const approval = read === null || isEnded ? null : await readApproval(place)
      const addedAt = read?.task.createdAt ?? place.createdAt
      const undoLeftMs = addedAt + undoMs - environment.clock.now()
      const state = isEnded ? 'moved' : stateOf(read?.task ?? null)
      const offer = offerOf({ place, state, approval, undoLeftMs, read })
      const card = {
        ...frameOf(place),
        state,
        ...contentOf(read, state),
        approval: state === 'approval' || isDecided(approval) ? toCardApproval(approval) : null,
        url: read === null ? null : taskUrl(place.taskId),
        newer: newer?.ref ?? null,
      }
      const expiresInMs =
        offer?.kind === 'approval' && approval !== null
          ? Math.max(1_000, approval.expiresAt - environment.clock.now())
          : null
      const changesInMs = offer?.kind === 'undo' ? Math.max(1_000, undoLeftMs) : expiresInMs
      const { ref: _, ...shown } = card
      return { card, offer, digest: credentialDigest(JSON.stringify([shown, offer])), changesInMs }
    },
  }
}

const frameOf = ({ id, conversationId, replyTo, ref, taskId, timeZone }: MessagePlace) => ({
  conversationId,
  replyTo,
  ref,
  placeId: id,
  handle: handleOf(taskId),
  timeZone,
})

type Read = Awaited<ReturnType<TaskStore['getTask']>>

type Shown = Pick<Read, 'task' | 'agent' | 'question' | 'answer'>

/** A host can put a task on hold as `needs_input` without one. */
const openQuestion = ({ question, answer }: Shown) => (answer === null ? question : null)

function contentOf(read: Shown | null, state: CardState) {
  if (read === null) {
    const none = { title: '', priority: 'medium', tags: [], type: null, dueDate: null } as const
    return { ...none, agent: null, progress: 0, text: null }
  }
  const { title, priority, tags, type, dueDate, progress } = read.task
  const common = { title, priority, tags, type, dueDate, progress, agent: read.agent?.name ?? null }
  return { ...common, text: textOf(read, state) }
}

function textOf(read: Shown, state: CardState): string | null {
  const { task } = read
  if (state === 'done') return task.result === '' ? null : task.result
  if (state === 'asks') return openQuestion(read)?.body ?? task.hold?.message ?? null
  return state === 'approval' ? null : (task.hold?.message ?? null)
}

function stateOf(task: Task | null): CardState {
  if (task === null) return 'deleted'
  if (task.column !== 'TODO') return task.column === 'DONE' ? 'done' : 'working'
  switch (task.hold?.reason) {
    case undefined:
      return 'waiting'
    case 'needs_input':
      return 'asks'
    case 'approval':
      return 'approval'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      return 'failed'
    default:
      return 'held'
  }
}

const isDecided = (approval: Approval | null): boolean => approval !== null && approval.decidedBy !== null

function toCardApproval(approval: Approval | null): CardApproval | null {
  if (approval === null) return null
  const { action, summary, input, inputDigest, status, decidedBy, comment } = approval
  return {
    action: visible(action),
    summary: visible(summary),
    inputText: visible(JSON.stringify(input, null, 2)),
    digest: shortDigest(inputDigest),
    status,
    decidedBy: decidedBy === null ? null : (decidedBy.name ?? decidedBy.id),
    comment,
  }
}

function offerOf({
  place,
  state,
  approval,
  undoLeftMs,
  read,
}: {
  readonly place: MessagePlace
  readonly state: CardState
  readonly approval: Approval | null
  readonly undoLeftMs: number
  readonly read: Shown | null
}): CardView['offer'] {
  if (state === 'approval' && approval?.status === 'pending') {
    return { kind: 'approval', subjectId: approval.id, digest: approval.inputDigest }
  }
  if (state === 'asks' && read !== null) {
    return { kind: 'question', subjectId: openQuestion(read)?.id ?? place.taskId, digest: null }
  }
  const isNew = state === 'waiting' && undoLeftMs > 0 && read?.task.fencingToken === 0
  return isNew ? { kind: 'undo', subjectId: place.taskId, digest: null } : null
}

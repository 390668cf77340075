import { createTaskboard, webhookEventTypes, type Clock, type Storage } from '@taskboard/core'
import type { LoggedEvent } from '@taskboard/core/storage'
import { realtimeEventTypes } from '@taskboard/core/transport'
import { expect } from 'vitest'
import { listeningScreen, readScreen, subscribe, type Message, type Screen } from './listening-screen.js'
import { take, type History, type Step } from './random-history.js'

export interface ScreenOptions<Tx> {
  readonly storage: Storage<Tx>
  readonly clock?: Clock | undefined
  /** Lets time pass between two steps. */
  readonly pass: () => Promise<void>
  /** Lets background work go on. */
  readonly settle: () => Promise<void>
}

interface Sent {
  readonly event: string
  readonly timestamp: string
  readonly data: unknown
}

const LAST = 'the last one'
/** How often to let background work go on until all was sent. */
const PATIENCE = 2_000
/** Those whose event says that the task was changed. */
const changing = ['started', 'completed', 'failed', 'moved', 'cancelled', 'released', 'updated', 'deleted']

/**
 * Plays a history. Every change of a task raises its event, and no event is without a change; they are sent once and in order; and a screen
 * that only listens shows what one that reads the board shows.
 */
export async function checkScreen<Tx>(steps: readonly Step[], options: ScreenOptions<Tx>): Promise<void> {
  const { settle } = options
  const { taskboard, place, key, notified, delivered, history, readLog } = await openBoard(options)
  const messages: Message[] = []
  const { screen, hear, settled } = listeningScreen(history.board)
  const begun = (await readLog(0)).at(-1)?.seq ?? 0
  const leave = await subscribe(taskboard, { key, workspaceId: place.workspaceId }, (message) => {
    if (message.seq === undefined || message.type === 'agent.status') return
    messages.push(message)
    hear(message)
  })

  const readNow = () => readScreen(taskboard, place)
  let before = await readNow()
  let seq = begun
  for (const step of steps) {
    await take(history, step)
    const after = await readNow()
    const events = await readLog(seq)
    seq = events.at(-1)?.seq ?? seq
    expectEvents(step, events, changedTasks(before, after))
    before = after
  }

  await history.board.add({ title: LAST })
  const log = (await readLog(begun)).filter(({ type }) => type !== 'agent.status')
  const live = log.filter(({ type }) => isOneOf(realtimeEventTypes, type))
  const sendable = log.filter(({ type }) => isOneOf(webhookEventTypes, type))
  const isOver = () =>
    messages.length >= live.length &&
    delivered.length >= sendable.length &&
    notified.length >= sendable.length
  for (let left = PATIENCE; left > 0 && !isOver(); left--) await settle()
  // What is sent twice comes now.
  await settle()
  await settled()
  expect(messages.map((message) => message.seq)).toEqual(live.map((event) => event.seq))
  expect(notified).toEqual(sendable.map(({ id }) => id))
  // Webhooks promise no order.
  const heard = messages.filter(({ type }) => isOneOf(webhookEventTypes, type))
  expect(toTexts(delivered)).toEqual(
    toTexts(heard.map(({ type, timestamp = '', data }) => ({ event: type, timestamp, data }))),
  )
  expect(screen).toEqual(await readNow())
  leave()
  await taskboard.close()
}

/** A started board with a notification channel and a webhook for everything. */
async function openBoard<Tx>({ storage, clock, pass }: ScreenOptions<Tx>) {
  const notified: string[] = []
  const delivered: Sent[] = []
  const taskboard = createTaskboard<Tx>({
    storage,
    ...(clock === undefined ? { pollIntervalMs: 20 } : { clock }),
    logger: false,
    secrets: { encryptionKey: Buffer.alloc(32, 7).toString('base64') },
    notifications: [{ name: 'list', send: ({ event: { id } }) => Promise.resolve(void notified.push(id)) }],
    webhooks: {
      allow: ['127.0.0.0/8'],
      mostPerHostPerMinute: 1_000_000,
      sender: {
        send({ body }) {
          delivered.push(JSON.parse(new TextDecoder().decode(body)) as Sent)
          return Promise.resolve({ kind: 'answered', status: 200, excerpt: '' })
        },
        close: () => Promise.resolve(),
      },
    },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const place = { accountId: account.id, workspaceId: workspace.id }
  const { workspaceId } = place
  await taskboard.notifications.configure(workspaceId, 'list', {})
  await taskboard.webhooks.register(workspaceId, {
    url: 'http://127.0.0.1:9/',
    events: [...webhookEventTypes],
  })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'screen',
    scopes: ['tasks:read'],
  })
  await taskboard.start()
  const agents: string[] = []
  for (const type of ['writer', 'painter'])
    agents.push((await taskboard.agents.create(workspaceId, { name: type, type })).id)
  const board = taskboard.board(workspaceId)
  const made = { tasks: [], approvals: [], tokens: new Map<string, number>() }
  const history: History = { taskboard, board, workspaceId, pass, agents, ...made }
  const readLog = (afterSeq: number) =>
    storage.events.readEvents({ workspaceId, afterSeq, limit: 100_000 }, { now: null })
  return { taskboard, place, key, notified, delivered, history, readLog }
}

/** Holds that a step raised an event for each task that it changed, for no other, and none twice. */
function expectEvents(step: Step, events: readonly LoggedEvent[], changed: ReadonlySet<string>): void {
  const named = events
    .map(({ type, data }) => ({ type, taskId: 'taskId' in data ? String(data.taskId) : '' }))
    .filter(({ taskId }) => taskId !== '')
  const eventful = named.filter(({ type }) => changing.some((word) => type === `task.${word}`))
  const ids = [...new Set(eventful.map(({ taskId }) => taskId))].toSorted()
  expect({ step, ids, named }).toEqual({ step, ids: [...changed].toSorted(), named })
  // Time does several things to one task.
  if (step.verb !== 'pass')
    expect(new Set(named.map(({ type, taskId }) => type + taskId)).size).toBe(named.length)
}

/** The tasks that were there before and are gone or look different. */
function changedTasks({ tasks: before }: Screen, { tasks: after }: Screen): ReadonlySet<string> {
  const isOther = (id: string): boolean => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id))
  return new Set([...before.keys()].filter(isOther))
}

const toTexts = (all: readonly Sent[]): readonly string[] =>
  all.map((sent) => JSON.stringify(sent)).toSorted()

const isOneOf = (types: readonly string[], type: string): boolean => types.includes(type)

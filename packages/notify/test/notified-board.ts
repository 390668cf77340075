import { inspect } from 'node:util'
import {
  createTaskboard,
  type Logger,
  type NotificationType,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, type VirtualClock } from '@taskboard/testing'

/** A started board on a virtual clock, whose log lines and answers are kept. */
export interface NotifiedBoard {
  readonly taskboard: Taskboard
  readonly accountId: string
  readonly workspaceId: string
  readonly clock: VirtualClock
  /** Every log line and every answer so far, as text. */
  readonly seen: string[]
  /** Sends a request of API v2; returns the answer's body. */
  send(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  add(title: string): Promise<void>
}

/** Opens a board with types of channels, runs `work`, and closes it. */
export async function withBoard(
  types: readonly NotificationType[],
  work: (board: NotifiedBoard) => Promise<void>,
  publicUrl?: string,
  tiers?: TaskboardOptions['tiers'],
  people?: TaskboardOptions['people'],
): Promise<void> {
  const clock = virtualClock()
  const seen: string[] = []
  const note = (fields: object, message: string): void => {
    const { err, ...others } = fields as { readonly err?: Error }
    seen.push(`${message} ${JSON.stringify(others)} ${err?.stack ?? ''} ${inspect(err?.cause)}`)
  }
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger,
    notifications: types,
    webhooks: { allow: ['127.0.0.0/8'] },
    publicUrl,
    tiers,
    people,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'k',
    scopes: ['webhooks:read', 'webhooks:write'],
  })
  const handle = toFetchHandler(taskboard)
  await taskboard.start()
  try {
    await work({
      taskboard,
      accountId: account.id,
      workspaceId: workspace.id,
      clock,
      seen,
      async send(method, path, body) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const init =
          body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
        const response = await handle(new Request(`http://board.example${path}`, init))
        const text = await response.text()
        seen.push(text)
        return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
      },
      async add(title) {
        await taskboard.board(workspace.id).add({ title })
        await clock.advance({ seconds: 1 })
      },
    })
  } finally {
    await taskboard.close()
  }
}

export const CHANNELS = '/v2/notification-channels'

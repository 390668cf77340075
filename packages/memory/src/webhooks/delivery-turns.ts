import type { Instant } from '@taskboard/core'
import type { StoredWebhook, WebhookStore } from '@taskboard/core/storage'
import type { DeliveryIndex, WebhookQueue } from './delivery-index.js'
import { skipped, type DeliveryRow } from '../tables/deliveries.js'
import type { Table } from '../tables/table.js'

export type ClaimRequest = Parameters<WebhookStore['claimDueDeliveries']>[0]

/** How many deliveries of disabled webhooks one claim skips at most. */
const MOST_SKIPPED = 1_000

/** The due webhooks of an account in one claim, whose turn it is first. */
interface AccountTurn {
  readonly accountId: string
  readonly queues: WebhookTurn[]
  left: number
}

interface WebhookTurn {
  readonly queue: WebhookQueue
  left: number
}

/** Chooses what a claim takes: accounts in turn, and the webhooks of each. */
export interface DeliveryTurns {
  /** Takes due deliveries out of the index. Adds to `aside` what it has set aside there. */
  take(request: ClaimRequest, aside: WebhookQueue[], now: Instant): DeliveryRow[]
}

export function createDeliveryTurns(
  deliveries: Table<DeliveryRow>,
  webhooks: Table<StoredWebhook>,
  index: DeliveryIndex,
): DeliveryTurns {
  /** By account, the number of the claim that served it last. */
  const served = new Map<string, number>()
  let claims = 0

  /** Skips the due deliveries of a disabled webhook; returns how many. */
  function skipDue({ heap }: WebhookQueue, most: number, now: Instant): number {
    let count = 0
    for (let head = heap[0]; head !== undefined && head.at <= now && count < most; head = heap[0]) {
      deliveries.set(head.row.delivery.id, skipped(head.row))
      count += 1
    }
    return count
  }

  /** The due webhooks that may be claimed of, by account, all set aside. Deliveries of excluded ones are only set aside. */
  function turnsOf(request: ClaimRequest, aside: WebhookQueue[], now: Instant): AccountTurn[] {
    const turns = new Map<string, AccountTurn>()
    let skipsLeft = MOST_SKIPPED
    for (let queue = index.firstQueue(); isDue(queue, now); queue = index.firstQueue()) {
      index.setAside(queue)
      aside.push(queue)
      const { accountId, webhookId } = queue
      if (webhooks.get(webhookId)?.enabled !== true) skipsLeft -= skipDue(queue, skipsLeft, now)
      else if (!isExcluded(queue, request)) {
        const turn = turns.get(accountId) ?? { accountId, queues: [], left: request.perAccount }
        turn.queues.push({ queue, left: request.perWebhook })
        turns.set(accountId, turn)
      }
    }
    for (const { queues } of turns.values()) queues.sort((a, b) => a.queue.servedAt - b.queue.servedAt)
    const servedAt = ({ accountId }: AccountTurn): number => served.get(accountId) ?? 0
    return [...turns.values()].sort((a, b) => servedAt(a) - servedAt(b))
  }

  return {
    take(request, aside, now) {
      claims += 1
      const turns = turnsOf(request, aside, now)
      const taken: DeliveryRow[] = []
      while (taken.length < request.limit) {
        const account = turns.shift()
        if (account === undefined) break
        const next = account.queues.shift()
        const head = next?.queue.heap[0]
        if (next === undefined || head === undefined) continue
        index.withhold(head.row)
        taken.push(head.row)
        served.set(account.accountId, claims)
        next.queue.servedAt = claims
        next.left -= 1
        account.left -= 1
        if (next.left > 0 && isDue(next.queue, now)) account.queues.push(next)
        if (account.left > 0 && account.queues.length > 0) turns.push(account)
      }
      return taken
    },
  }
}

function isDue(queue: WebhookQueue | null, now: Instant): queue is WebhookQueue {
  const head = queue?.heap[0]
  return head !== undefined && head.at <= now
}

export function isExcluded({ accountId, webhookId }: WebhookQueue, request: ClaimRequest): boolean {
  return request.excludeAccountIds.includes(accountId) || request.excludeWebhookIds.includes(webhookId)
}

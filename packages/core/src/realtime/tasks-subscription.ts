import type { Principal } from '../access/index.js'
import { inBackground, startFeeds } from './catch-up.js'
import { tasksChannel } from './channels.js'
import type { Since } from './client-messages.js'
import { Feed } from './feed.js'
import type { LogEnd } from './realtime-store.js'
import {
  readEnds,
  refusedSince,
  requirePlace,
  type Subscriber,
  type Subscription,
  type SubscriptionParts,
  type SubscriptionRequest,
} from './subscription.js'

/** The channel of the tasks of all workspaces within the caller's reach, including later ones. */
export class TasksSubscription implements Subscription {
  readonly channelName = tasksChannel.name
  readonly accountId: string
  readonly #principal: Principal
  readonly #subscriber: Subscriber
  readonly #parts: SubscriptionParts
  readonly #feeds = new Map<string, Feed>()
  #isConfirmed = false
  #hasEnded = false

  constructor({ principal, subscriber }: SubscriptionRequest, parts: SubscriptionParts) {
    this.accountId = principal.accountId
    this.#principal = principal
    this.#subscriber = subscriber
    this.#parts = parts
  }

  async begin({ principal, since, confirm }: SubscriptionRequest): Promise<void> {
    const { newcomers } = this.#parts
    const followsAll = principal.workspaceIds === 'all'
    if (followsAll) newcomers.add(this)
    for (const end of await readEnds(this.#parts, principal, null)) this.#join(end.workspaceId)
    const ends = await readEnds(this.#parts, principal, null)
    if (followsAll)
      newcomers.learn(
        this.accountId,
        ends.map(({ workspaceId }) => workspaceId),
      )
    if (this.#hasEnded) return
    for (const end of ends) this.#join(end.workspaceId).position = positionOf(since, end)
    confirm(Object.fromEntries(Array.from(this.#feeds.values(), (feed) => [feed.workspaceId, feed.position])))
    this.#isConfirmed = true
    const seqs = new Map(ends.map(({ workspaceId, seq }) => [workspaceId, seq]))
    const feeds = [...this.#feeds.values()]
    const known = feeds.filter(({ workspaceId }) => seqs.has(workspaceId))
    startFeeds(known, seqs, this.#subscriber, this.#parts)
    // Workspaces found while the ends were read: the ends of their logs are missing.
    for (const feed of feeds) if (!seqs.has(feed.workspaceId)) this.#beginNew(feed)
  }

  /** A workspace that is new, or has just had an event. */
  found(workspaceId: string): void {
    if (this.#feeds.has(workspaceId)) return
    const feed = this.#join(workspaceId)
    if (this.#isConfirmed) this.#beginNew(feed)
  }

  end(): void {
    this.#hasEnded = true
    this.#parts.newcomers.delete(this)
    for (const feed of this.#feeds.values()) this.#parts.hub.leave(feed)
    this.#feeds.clear()
  }

  #beginNew(feed: Feed): void {
    const { workspaceId } = feed
    inBackground(this.#subscriber, this.channelName, async () => {
      const [end] = await readEnds(this.#parts, this.#principal, workspaceId)
      startFeeds([feed], new Map([[workspaceId, end?.seq ?? 0]]), this.#subscriber, this.#parts)
    })
  }

  #join(workspaceId: string): Feed {
    const known = this.#feeds.get(workspaceId)
    if (known !== undefined) return known
    const feed = new Feed(this.#subscriber, { workspaceId, audience: 'tasks', channel: tasksChannel })
    this.#feeds.set(workspaceId, feed)
    this.#parts.hub.join(feed)
    return feed
  }
}

/** Where a workspace's messages begin: without `since` at the present. A workspace missing from `since` is new to the client. */
function positionOf(since: Since[string] | undefined, end: LogEnd): number {
  if (since === undefined) return end.seq
  if (typeof since !== 'object') throw refusedSince('since of tasks must be an object of seqs by workspace')
  const { workspaceId } = end
  return requirePlace((Object.hasOwn(since, workspaceId) ? since[workspaceId] : undefined) ?? 0, end)
}

import { requireScope, type Principal } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventStore } from '../events/index.js'
import { catchUp, type Budget } from './catch-up.js'
import type { Channel } from './channels.js'
import type { Since } from './client-messages.js'
import { Feed, type Audience, type Receiver } from './feed.js'
import type { Hub } from './hub.js'
import type { Newcomers } from './newcomers.js'
import type { Outgoing } from './outgoing.js'
import type { LogEnd, RealtimeStore } from './realtime-store.js'

export interface SubscriptionParts {
  readonly environment: Environment
  readonly store: Pick<RealtimeStore, 'readLogEnds'>
  readonly events: Pick<EventStore, 'readEvents'>
  readonly hub: Hub
  readonly newcomers: Newcomers
  /** How many events back `since` reaches. */
  readonly replayLimit: number
}

/** Who subscribes to what. */
export interface SubscriptionRequest {
  readonly channel: Channel
  readonly principal: Principal
  readonly receiver: Receiver
  readonly since: Since[string] | undefined
  /** Sends to this connection alone, and resolves when it has taken it. */
  readonly send: (messages: Outgoing) => Promise<void>
  /** Called before the first message, with where those begin. */
  readonly confirm: (seq: number | Readonly<Record<string, number>>) => void
  /** Called when the log cannot be read later on. */
  readonly fail: (error: unknown) => void
}

/** A channel of one connection. */
export interface Subscription {
  end(): void
}

/**
 * Subscribes: the feeds join the hub, then the ends of the logs are read, and from there each feed catches up with what it is
 * behind before it is live. So nothing falls between what is replayed and what is live, and nothing is told twice.
 * @throws TaskboardError `FORBIDDEN`; `NOT_FOUND` for a workspace out of reach, as for one that does not exist; `INVALID_FIELD`
 * (`since`) for a place that there is not.
 */
export async function subscribe(
  request: SubscriptionRequest,
  parts: SubscriptionParts,
): Promise<Subscription> {
  requireScope(request.principal, 'tasks:read')
  const subscription = new OpenSubscription(request, parts)
  try {
    await subscription.begin()
    return subscription
  } catch (error) {
    subscription.end()
    throw error
  }
}

class OpenSubscription implements Subscription {
  readonly accountId: string
  readonly #request: SubscriptionRequest
  readonly #parts: SubscriptionParts
  readonly #feeds = new Map<string, Feed>()
  #isConfirmed = false
  #hasEnded = false

  constructor(request: SubscriptionRequest, parts: SubscriptionParts) {
    this.#request = request
    this.#parts = parts
    this.accountId = request.principal.accountId
  }

  async begin(): Promise<void> {
    const { channel, principal, since, confirm } = this.#request
    const workspaceId = channel.kind === 'workspace' ? channel.workspaceId : null
    const followsAll = workspaceId === null && principal.workspaceIds === 'all'
    if (followsAll) this.#parts.newcomers.add(this)
    if (workspaceId !== null) this.#join(workspaceId)
    else for (const end of await this.#readEnds(null)) this.#join(end.workspaceId)
    const ends = new Map((await this.#readEnds(workspaceId)).map((end) => [end.workspaceId, end.seq]))
    if (workspaceId !== null && !ends.has(workspaceId)) {
      throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'channels' })
    }
    if (followsAll) this.#parts.newcomers.learn(this.accountId, [...ends.keys()])
    if (this.#hasEnded) return
    for (const id of ends.keys()) this.#join(id)
    for (const [id, feed] of this.#feeds) feed.position = positionOf(channel, since, id, ends.get(id) ?? 0)
    const positions = Array.from(this.#feeds.values(), (feed) => [feed.workspaceId, feed.position] as const)
    confirm(workspaceId === null ? Object.fromEntries(positions) : (positions[0]?.[1] ?? 0))
    this.#isConfirmed = true
    this.#catchUpAll(ends)
  }

  /** A workspace that there was not, or that an event was just heard of. */
  found(workspaceId: string): void {
    if (this.#feeds.has(workspaceId)) return
    const feed = this.#join(workspaceId)
    if (!this.#isConfirmed) return
    this.#inBackground(async () => {
      const [end] = await this.#readEnds(workspaceId)
      await this.#catchUp(feed, end?.seq ?? 0, { left: this.#parts.replayLimit })
    })
  }

  end(): void {
    this.#hasEnded = true
    this.#parts.newcomers.delete(this)
    for (const feed of this.#feeds.values()) this.#parts.hub.leave(feed)
    this.#feeds.clear()
  }

  #join(workspaceId: string): Feed {
    const known = this.#feeds.get(workspaceId)
    if (known !== undefined) return known
    const { channel, principal, receiver } = this.#request
    const feed = new Feed(receiver, workspaceId, audienceOf(channel, principal), channel.name)
    this.#feeds.set(workspaceId, feed)
    this.#parts.hub.join(feed)
    return feed
  }

  #catchUpAll(ends: ReadonlyMap<string, number>): void {
    const behind: Feed[] = []
    for (const feed of this.#feeds.values()) {
      const isBehind = feed.position < Math.max(feed.seen, ends.get(feed.workspaceId) ?? 0)
      if (isBehind) behind.push(feed)
      else feed.state = 'live'
    }
    if (behind.length === 0) return
    const budget = { left: this.#parts.replayLimit }
    this.#inBackground(async () => {
      for (const feed of behind) await this.#catchUp(feed, ends.get(feed.workspaceId) ?? 0, budget)
    })
  }

  #catchUp(feed: Feed, end: number, budget: Budget): Promise<void> {
    return catchUp(feed, end, budget, { events: this.#parts.events, send: this.#request.send })
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#request.fail(error))
  }

  #readEnds(workspaceId: string | null): Promise<readonly LogEnd[]> {
    const { environment, store } = this.#parts
    return store.readLogEnds(this.#request.principal, workspaceId, { now: environment.storageNow() })
  }
}

function audienceOf({ kind }: Channel, { scopes }: Principal): Audience {
  if (kind === 'tasks') return 'tasks'
  return scopes.includes('agents:read') ? 'workspace' : 'workspace-tasks'
}

/** Where a workspace's messages begin: without `since` at the present; one that `since` does not know is new to the client. */
function positionOf(
  channel: Channel,
  since: Since[string] | undefined,
  workspaceId: string,
  end: number,
): number {
  if (since === undefined) return end
  const isByWorkspace = typeof since === 'object'
  if (isByWorkspace !== (channel.kind === 'tasks')) {
    throw refusedSince(
      `since of ${channel.name} must be ${isByWorkspace ? 'a seq' : 'an object of seqs by workspace'}`,
    )
  }
  const position = isByWorkspace ? (Object.hasOwn(since, workspaceId) ? since[workspaceId] : 0) : since
  if (position !== undefined && position <= end) return position
  throw refusedSince(`since is ahead of the log of ${workspaceId}`)
}

function refusedSince(message: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field: 'since' })
}

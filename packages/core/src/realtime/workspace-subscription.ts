import { TaskboardError } from '../errors/index.js'
import { startFeeds } from './catch-up.js'
import type { Channel } from './channels.js'
import { Feed } from './feed.js'
import {
  readEnds,
  refusedSince,
  requirePlace,
  type Subscription,
  type SubscriptionParts,
  type SubscriptionRequest,
} from './subscription.js'

/** A workspace's channel, with one feed. Many of these are idle, so each one holds little. */
export class WorkspaceSubscription extends Feed implements Subscription {
  readonly #parts: SubscriptionParts

  constructor(
    channel: Extract<Channel, { kind: 'workspace' }>,
    { principal, subscriber }: SubscriptionRequest,
    parts: SubscriptionParts,
  ) {
    const audience = principal.scopes.includes('agents:read') ? 'workspace' : 'workspace-tasks'
    super(subscriber, { workspaceId: channel.workspaceId, audience, channel })
    this.#parts = parts
  }

  get channelName(): string {
    return this.channel.name
  }

  async begin({ principal, subscriber, since, confirm }: SubscriptionRequest): Promise<void> {
    const { workspaceId } = this
    this.#parts.hub.join(this)
    const [end] = await readEnds(this.#parts, principal, workspaceId)
    if (end === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'channels' })
    if (this.state === 'ended') return
    if (typeof since === 'object') throw refusedSince(`since of ${this.channelName} must be a seq`)
    this.position = requirePlace(since ?? end.seq, end)
    confirm(this.position)
    startFeeds([this], new Map([[workspaceId, end.seq]]), subscriber, this.#parts)
  }

  end(): void {
    this.#parts.hub.leave(this)
  }
}

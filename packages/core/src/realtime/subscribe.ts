import { type Principal, requireScope } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import { inBackground, startLogSubscriptions } from './catch-up.js'
import { type Topic, tasksTopic } from './topics.js'
import type { Since } from './client-messages.js'
import { LogSubscription } from './log-subscription.js'
import type { LogEnd } from './realtime-store.js'
import {
  readEnds,
  refusedSince,
  requirePosition,
  type Subscriber,
  type Subscription,
  type SubscriptionDeps,
  type SubscriptionRequest,
} from './subscription.js'

/** A workspace's channel, with one log subscription. Many of these are idle, so each one holds little. */
class WorkspaceSubscription extends LogSubscription implements Subscription {
  readonly #deps: SubscriptionDeps

  constructor(
    topic: Extract<Topic, { kind: 'workspace' }>,
    { principal, subscriber }: SubscriptionRequest,
    deps: SubscriptionDeps,
  ) {
    const audience = principal.scopes.includes('agents:read') ? 'workspace' : 'workspace-tasks'
    super(subscriber, { workspaceId: topic.workspaceId, audience, topic })
    this.#deps = deps
  }

  get topicName(): string {
    return this.topic.name
  }

  async begin({ principal, subscriber, since, confirm }: SubscriptionRequest): Promise<void> {
    const { workspaceId } = this
    this.#deps.hub.join(this)
    const [end] = await readEnds(this.#deps, principal, workspaceId)
    if (end === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'channels' })
    if (this.state === 'ended') return
    if (typeof since === 'object') throw refusedSince(`since of ${this.topicName} must be a seq`)
    this.position = requirePosition(since ?? end.seq, end)
    confirm(this.position)
    startLogSubscriptions([this], new Map([[workspaceId, end.seq]]), subscriber, this.#deps)
  }

  end(): void {
    this.#deps.hub.leave(this)
  }
}

/** The channel of the tasks of all workspaces within the caller's reach, including later ones. */
export class TasksSubscription implements Subscription {
  readonly topicName = tasksTopic.name
  readonly accountId: string
  readonly #principal: Principal
  readonly #subscriber: Subscriber
  readonly #deps: SubscriptionDeps
  readonly #logSubscriptions = new Map<string, LogSubscription>()
  #isConfirmed = false
  #hasEnded = false

  constructor({ principal, subscriber }: SubscriptionRequest, deps: SubscriptionDeps) {
    this.accountId = principal.accountId
    this.#principal = principal
    this.#subscriber = subscriber
    this.#deps = deps
  }

  async begin({ principal, since, confirm }: SubscriptionRequest): Promise<void> {
    const { discovery } = this.#deps
    const followsAll = principal.workspaceIds === 'all'
    if (followsAll) discovery.add(this)
    for (const end of await readEnds(this.#deps, principal, null)) this.#join(end.workspaceId)
    const ends = await readEnds(this.#deps, principal, null)
    if (followsAll)
      discovery.addKnown(
        this.accountId,
        ends.map(({ workspaceId }) => workspaceId),
      )
    if (this.#hasEnded) return
    for (const end of ends) this.#join(end.workspaceId).position = positionOf(since, end)
    confirm(
      Object.fromEntries(
        Array.from(this.#logSubscriptions.values(), (logSubscription) => [
          logSubscription.workspaceId,
          logSubscription.position,
        ]),
      ),
    )
    this.#isConfirmed = true
    const seqs = new Map(ends.map(({ workspaceId, seq }) => [workspaceId, seq]))
    const logSubscriptions = [...this.#logSubscriptions.values()]
    const known = logSubscriptions.filter(({ workspaceId }) => seqs.has(workspaceId))
    startLogSubscriptions(known, seqs, this.#subscriber, this.#deps)
    // Workspaces found while the ends were read: the ends of their logs are missing.
    for (const logSubscription of logSubscriptions)
      if (!seqs.has(logSubscription.workspaceId)) this.#beginNew(logSubscription)
  }

  /** A workspace that is new, or has just had an event. */
  found(workspaceId: string): void {
    if (this.#logSubscriptions.has(workspaceId)) return
    const logSubscription = this.#join(workspaceId)
    if (this.#isConfirmed) this.#beginNew(logSubscription)
  }

  end(): void {
    this.#hasEnded = true
    this.#deps.discovery.delete(this)
    for (const logSubscription of this.#logSubscriptions.values()) this.#deps.hub.leave(logSubscription)
    this.#logSubscriptions.clear()
  }

  #beginNew(logSubscription: LogSubscription): void {
    const { workspaceId } = logSubscription
    inBackground(this.#subscriber, this.topicName, async () => {
      const [end] = await readEnds(this.#deps, this.#principal, workspaceId)
      startLogSubscriptions(
        [logSubscription],
        new Map([[workspaceId, end?.seq ?? 0]]),
        this.#subscriber,
        this.#deps,
      )
    })
  }

  #join(workspaceId: string): LogSubscription {
    const known = this.#logSubscriptions.get(workspaceId)
    if (known !== undefined) return known
    const logSubscription = new LogSubscription(this.#subscriber, {
      workspaceId,
      audience: 'tasks',
      topic: tasksTopic,
    })
    this.#logSubscriptions.set(workspaceId, logSubscription)
    this.#deps.hub.join(logSubscription)
    return logSubscription
  }
}

/** Where a workspace's messages begin: without `since` at the present. A workspace missing from `since` is new to the client. */
function positionOf(since: Since[string] | undefined, end: LogEnd): number {
  if (since === undefined) return end.seq
  if (typeof since !== 'object') throw refusedSince('since of tasks must be an object of seqs by workspace')
  const { workspaceId } = end
  return requirePosition((Object.hasOwn(since, workspaceId) ? since[workspaceId] : undefined) ?? 0, end)
}

/**
 * Subscribes. The log subscriptions join the hub, then the ends of the logs are read. Each log subscription catches up from the log before
 * it is live. So the replay and the live events have no gaps and no duplicates.
 * @throws TaskboardError `FORBIDDEN`; `NOT_FOUND` for a workspace out of reach, as for one that doesn't exist; `INVALID_FIELD`
 * (`since`) for a position that doesn't exist.
 */
export async function subscribe(request: SubscriptionRequest, deps: SubscriptionDeps): Promise<Subscription> {
  requireScope(request.principal, 'tasks:read')
  const { topic } = request
  const subscription =
    topic.kind === 'workspace'
      ? new WorkspaceSubscription(topic, request, deps)
      : new TasksSubscription(request, deps)
  try {
    await subscription.begin(request)
    return subscription
  } catch (error) {
    subscription.end()
    throw error
  }
}

import { requireScope } from '../access/index.js'
import type { Subscription, SubscriptionParts, SubscriptionRequest } from './subscription.js'
import { TasksSubscription } from './tasks-subscription.js'
import { WorkspaceSubscription } from './workspace-subscription.js'

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
  const { channel } = request
  const subscription =
    channel.kind === 'workspace'
      ? new WorkspaceSubscription(channel, request, parts)
      : new TasksSubscription(request, parts)
  try {
    await subscription.begin(request)
    return subscription
  } catch (error) {
    subscription.end()
    throw error
  }
}

import { requireScope } from '../access/index.js'
import type { Subscription, SubscriptionParts, SubscriptionRequest } from './subscription.js'
import { TasksSubscription } from './tasks-subscription.js'
import { WorkspaceSubscription } from './workspace-subscription.js'

/**
 * Subscribes: the feeds join the hub, then the ends of the logs are read, and each feed catches up from the log before it is
 * live. So the replay and the live events have no gaps and no duplicates.
 * @throws TaskboardError `FORBIDDEN`; `NOT_FOUND` for a workspace out of reach, as for one that does not exist; `INVALID_FIELD`
 * (`since`) for a position that does not exist.
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

import { type Bots, createBots } from '../bots/index.js'
import { createPublisher, type LoggedEvent } from '../events/index.js'
import type { Wiring } from './wiring.js'
import { pollIntervalOf } from './taskboard-options.js'
import type { TransportServices } from './transport-services.js'

/** The bots of a board, on its services. */
export function botsOf<Tx>(wiring: Wiring<Tx>, services: Omit<TransportServices<Tx>, 'bots'>): Bots {
  const { environment, storage, options, linkOf } = wiring
  const publish = createPublisher({ environment, store: storage.events })
  return createBots({
    ...services,
    environment,
    bots: options.bots ?? [],
    store: storage.bots,
    access: storage.access,
    limits: storage.limits,
    taskStore: storage.tasks,
    approvalStore: storage.approvals,
    comments: storage.comments,
    inOneCommit: (call, work) => storage.inOneCommit(call, work),
    taskUrl: (taskId) => linkOf({ type: 'task.created', data: { taskId } } as LoggedEvent),
    alert: async (workspaceId, message) => void (await publish(workspaceId, 'agent.alert', { message })),
    pollIntervalMs: storage.commitNotifications === 'complete' ? null : pollIntervalOf(options),
  })
}

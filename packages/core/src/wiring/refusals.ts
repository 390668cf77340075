import type { Telemetry } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { Quota } from '../limits/index.js'
import type { TransportServices } from './transport-services.js'

/** The same services, which report what their limits reject. Without telemetry, they stay as they are. */
export function withRefusals<Tx>(
  services: TransportServices<Tx>,
  telemetry: Telemetry | null,
): TransportServices<Tx> {
  if (telemetry === null) return services
  return {
    ...services,
    async takeBoardLimit(principal) {
      const decision = await services.takeBoardLimit(principal)
      if (!decision.allowed) telemetry.measure({ kind: 'refusal', limit: 'board' })
      return decision
    },
    async takeTierLimit(principal) {
      const decision = await services.takeTierLimit(principal)
      if (decision?.allowed === false) telemetry.measure({ kind: 'refusal', limit: 'tier' })
      return decision
    },
    refuseCredential(request) {
      const error = services.refuseCredential(request)
      if (error.retryAfterMs !== undefined) telemetry.measure({ kind: 'refusal', limit: 'credentials' })
      return error
    },
  }
}

/** The same for the quotas, which schedules and chats use as well. */
export function quotaWithRefusals<Tx>(quota: Quota<Tx>, telemetry: Telemetry | null): Quota<Tx> {
  if (telemetry === null) return quota
  return {
    createTask: (...given) => reported(telemetry, quota.createTask(...given)),
    createTasks: (...given) => reported(telemetry, quota.createTasks(...given)),
    createHeld: (...given) => reported(telemetry, quota.createHeld(...given)),
    usage: (subscriber) => quota.usage(subscriber),
  }
}

async function reported<T>(telemetry: Telemetry, creating: Promise<T>): Promise<T> {
  try {
    return await creating
  } catch (error) {
    if (isTaskboardError(error, 'QUOTA_EXCEEDED')) telemetry.measure({ kind: 'refusal', limit: 'quota' })
    throw error
  }
}

import { z } from 'zod'
import { attemptOutcomes, type Attempt } from '../../board/index.js'
import { timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** How an agent's attempt at a task ended. */
export const attemptJson = z
  .object({
    agent: z
      .object({ id: z.string(), name: z.string().nullable() })
      .meta({ description: 'The name is null once the agent was deleted.' }),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    outcome: z.enum(attemptOutcomes).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'TaskAttempt' })

export function toWireAttempt(
  { agentId, startedAt, endedAt, outcome, reason }: Attempt,
  agentName: string | null,
): z.output<typeof attemptJson> {
  return {
    agent: { id: agentId, name: agentName },
    started_at: toTimestamp(startedAt),
    ended_at: toTimestamp(endedAt),
    outcome,
    reason,
  }
}

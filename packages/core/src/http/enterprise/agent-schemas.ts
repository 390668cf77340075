import { z } from 'zod'
import type { AgentOverview } from '../../agents/index.js'
import { agentStatuses } from '../../events/index.js'
import { timestamp, toTimestamp } from './wire-schemas.js'

/** An agent in an answer. */
export const agentJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    type: z.string(),
    status: z.enum(agentStatuses),
    model: z.string().nullable(),
    system_prompt: z.string().nullable(),
    capabilities: z.array(z.string()),
    tools: z.array(z.string()),
    current_workload: z.int().min(0).meta({
      description: 'The tasks that it works on, and those that only it can take.',
    }),
    success_rate: z.number().min(0).max(1).meta({
      description:
        'The completed share of its last hundred attempts that it ended itself; 1 before the first.',
    }),
    created_at: timestamp,
  })
  .meta({ id: 'Agent' })

export function toWireAgent(agent: AgentOverview): z.output<typeof agentJson> {
  return {
    id: agent.id,
    workspace_id: agent.workspaceId,
    name: agent.name,
    type: agent.type,
    status: agent.status,
    model: agent.model,
    system_prompt: agent.systemPrompt,
    capabilities: [...agent.capabilities],
    tools: [...agent.tools],
    current_workload: agent.currentWorkload,
    success_rate: agent.successRate ?? 1,
    created_at: toTimestamp(agent.createdAt),
  }
}

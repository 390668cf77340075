import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import { pickEach } from './task-forms.js'
import { members, next, type Tool, tool } from './tool.js'

const LISTED = 50

const { query, answer } = operationSchemas('listAgents')
const listedAgent = z.object(
  members(
    (answer.shape['agents'] as unknown as { readonly element: z.ZodObject }).element,
    'id',
    'name',
    'type',
    'status',
    'is_remote',
    'workspace_id',
  ),
)

const listAgents = tool({
  sets: ['worker', 'planner'],
  scope: 'agents:read',
  name: 'list_agents',
  description: 'The agents, oldest first: claim as a remote one, assign to any.',
  input: z.object(members(query, 'workspace_id', 'cursor')),
  output: z.object({ agents: z.array(listedAgent), next_cursor: z.string().nullable(), next }),
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const given = args as Readonly<Record<string, string>>
    const page = await board.call('listAgents', { query: { ...given, limit: String(LISTED) } })
    const agents = pickEach(page['agents'], listedAgent)
    const hasRemote = agents.some(({ is_remote: isRemote }) => isRemote === true)
    return {
      value: { agents, next_cursor: page['next_cursor'] ?? null },
      text: `${agents.length} agents.`,
      next: hasRemote
        ? 'Call claim_task with the name or the id of an agent whose is_remote is true, as agent.'
        : 'None of these is remote: the host runs them, so claim_task is not for them.',
    }
  },
})

/** What both sets need to know of agents. */
export const agentTools: readonly Tool[] = [listAgents]

import { TaskboardError } from '@taskboard/core'
import type { Answer, BoardCalls } from '../board-calls.js'

/** How many agents are searched for a name. */
const MOST_SEARCHED = 1_000
/** How many agents an error lists. */
const MOST_LISTED = 20
/** Of a name in an error. */
const LONGEST_NAME = 100

const ID = /^agent_[0-9a-z]{26}$/

interface KnownAgent {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly workspace_id: string
  readonly is_remote: boolean
}

/** The agents within reach, or the first thousand of them. */
interface Search {
  readonly agents: readonly KnownAgent[]
  readonly isWhole: boolean
}

/**
 * Finds the ids of agents for one call of a tool: in a workspace if one is given, else in all within reach. Passes on ids unread, and
 * values that aren't text, because operations check them.
 */
export function agentFinder(
  board: BoardCalls,
  workspaceId?: unknown,
): (wanted: unknown, field: string) => Promise<unknown> {
  let search: Promise<Search> | undefined
  return async (wanted, field) => {
    if (typeof wanted !== 'string' || ID.test(wanted)) return wanted
    const { agents, isWhole } = await (search ??= readAgents(board, field, workspaceId))
    const found = agents.filter(({ name }) => name === wanted)
    const shown = quoted(wanted)
    if (found.length > 1) {
      throw invalid(field, `several agents are called ${shown}: pass the id of one of ${listed(found)}`)
    }
    if (!isWhole) {
      throw invalid(field, `there are too many agents to find ${shown}: pass the id of an agent as ${field}`)
    }
    const [agent] = found
    if (agent !== undefined) return agent.id
    throw new TaskboardError('NOT_FOUND', `no agent is called ${shown}; there are ${listed(agents)}`, {
      field,
    })
  }
}

/**
 * The agent that claims when no one is named: the only one that the host doesn't run.
 * @throws TaskboardError `MISSING_FIELD` with the agents to choose from.
 */
export async function onlyRemoteAgent(board: BoardCalls, field: string): Promise<string> {
  const { agents, isWhole } = await readAgents(board, field)
  const remote = agents.filter(({ is_remote: isRemote }) => isRemote)
  const [agent] = remote
  if (isWhole && remote.length === 1 && agent !== undefined) return agent.id
  const choice =
    remote.length === 0
      ? 'the host runs all agents itself, so a person has to create one for you'
      : `pass the name or the id of one of ${listed(remote)}`
  throw new TaskboardError('MISSING_FIELD', `${field} is required: ${choice}`, { field })
}

async function readAgents(board: BoardCalls, field: string, workspaceId?: unknown): Promise<Search> {
  const workspace = typeof workspaceId === 'string' ? workspaceId : undefined
  const query = { limit: String(MOST_SEARCHED), workspace_id: workspace }
  try {
    const page: Answer = await board.call('listAgents', { query })
    return { agents: page['agents'] as readonly KnownAgent[], isWhole: page['next_cursor'] === null }
  } catch (error) {
    if (board.explain(error).error.code !== 'AUTHORIZATION_FAILED') throw error
    const reason = `the credential lacks the scope agents:read: pass the id of an agent as ${field}`
    throw new TaskboardError('FORBIDDEN', reason, { field })
  }
}

function listed(agents: readonly KnownAgent[]): string {
  const shown = agents
    .slice(0, MOST_LISTED)
    .map(
      ({ id, name, type, workspace_id: workspace }) =>
        `${quoted(name)} (${id}, type ${quoted(type)}, ${workspace})`,
    )
  const left = agents.length - shown.length
  return shown.length === 0
    ? 'none'
    : shown.join(', ') + (left > 0 ? ` and ${left} more: see list_agents` : '')
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, LONGEST_NAME))
}

function invalid(field: string, message: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field })
}

import { useEffect, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import type { Agent } from '../state/wire.js'

const MOST_AGENTS = 100

/** The agents of the workspace, once `isNeeded`; none for callers who may not see them. */
export function useWorkspaceAgents(isNeeded: boolean): readonly Agent[] {
  const [agents, setAgents] = useState<readonly Agent[]>([])
  useEffect(() => {
    if (!isNeeded || !can('agents:read')) return
    const read = async (): Promise<void> => {
      const page = await client.agents.list({ workspace_id: workspaceId(), limit: MOST_AGENTS })
      setAgents(page.agents)
    }
    // The forms work without a choice of agents.
    read().catch(() => undefined)
  }, [isNeeded])
  return agents
}

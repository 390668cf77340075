import type { TaskboardClient } from '@taskboard/client'
import { CliError } from '../cli-error.js'

/** The agent of an id, or the only one of a name. */
export async function agentIdOf(client: TaskboardClient, wanted: string): Promise<string> {
  if (wanted.startsWith('agent_')) return wanted
  const found = []
  for await (const agent of client.agents.listAll()) if (agent.name === wanted) found.push(agent.id)
  const [id, other] = found
  if (id === undefined)
    throw new CliError(
      'unknown',
      `there is no agent "${wanted}": create one with \`taskboard agents create\``,
    )
  if (other === undefined) return id
  throw new CliError('conflict', `several agents are called "${wanted}": ${found.join(', ')}`)
}

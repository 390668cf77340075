import type { Agent } from '@taskboard/core'
import type { Table } from '../../tables/table.js'

/** Which types of tasks are for agents of that type alone: those that an agent of the workspace has. Follows the agents' table. */
export interface Routes {
  isServed(workspaceId: string, type: string): boolean
  /** Called when the first agent of a type has come to a workspace, or the last one has left. */
  onTurn(hook: (workspaceId: string, type: string) => void): void
}

export function createRoutes(agents: Table<Agent>): Routes {
  const counts = new Map<string, number>()
  const hooks: ((workspaceId: string, type: string) => void)[] = []

  function count({ workspaceId, type }: Agent, change: 1 | -1): void {
    const route = routeOf(workspaceId, type)
    const before = counts.get(route) ?? 0
    const after = before + change
    if (after === 0) counts.delete(route)
    else counts.set(route, after)
    if (before === 0 || after === 0) for (const hook of hooks) hook(workspaceId, type)
  }

  agents.onChange((before, after) => {
    if (before?.type === after?.type) return
    if (before !== undefined) count(before, -1)
    if (after !== undefined) count(after, 1)
  })

  return {
    isServed: (workspaceId, type) => counts.has(routeOf(workspaceId, type)),
    onTurn(hook) {
      hooks.push(hook)
    },
  }
}

/** The key of a workspace's type. No id of a workspace has a line break. */
export function routeOf(workspaceId: string, type: string): string {
  return `${workspaceId}\n${type}`
}

import { TaskboardError } from '../errors/index.js'

/** The topic of a subscription: one workspace, or the tasks of all workspaces within reach. */
export type Topic =
  | { readonly kind: 'workspace'; readonly name: string; readonly workspaceId: string }
  | { readonly kind: 'tasks'; readonly name: string }

const WORKSPACE = /^workspace\.([A-Za-z0-9_-]{1,64})$/

export const tasksTopic: Topic = { kind: 'tasks', name: 'tasks' }

export function workspaceTopic(workspaceId: string): Topic {
  return { kind: 'workspace', name: `workspace.${workspaceId}`, workspaceId }
}

/** @throws TaskboardError `INVALID_FIELD` (`channels`) for any other name. */
export function parseTopic(name: string): Topic {
  if (name === tasksTopic.name) return tasksTopic
  const workspaceId = WORKSPACE.exec(name)?.[1]
  if (workspaceId !== undefined) return workspaceTopic(workspaceId)
  throw new TaskboardError('INVALID_FIELD', 'channels must be workspace.<workspace_id> or tasks', {
    field: 'channels',
  })
}

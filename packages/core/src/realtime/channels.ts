import { TaskboardError } from '../errors/index.js'

/** What a client can subscribe to: one workspace, or the tasks of all workspaces within reach. */
export type Channel =
  | { readonly kind: 'workspace'; readonly name: string; readonly workspaceId: string }
  | { readonly kind: 'tasks'; readonly name: string }

const WORKSPACE = /^workspace\.([A-Za-z0-9_-]{1,64})$/

export const tasksChannel: Channel = { kind: 'tasks', name: 'tasks' }

export function workspaceChannel(workspaceId: string): Channel {
  return { kind: 'workspace', name: `workspace.${workspaceId}`, workspaceId }
}

/** @throws TaskboardError `INVALID_FIELD` (`channels`) for any other name. */
export function parseChannel(name: string): Channel {
  if (name === tasksChannel.name) return tasksChannel
  const workspaceId = WORKSPACE.exec(name)?.[1]
  if (workspaceId !== undefined) return workspaceChannel(workspaceId)
  throw new TaskboardError('INVALID_FIELD', 'channels must be workspace.<workspace_id> or tasks', {
    field: 'channels',
  })
}

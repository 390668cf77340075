import type { AccessStore } from '../access/index.js'
import { createBackgroundLoop, type Environment } from '../environment/index.js'

/** Follows all workspaces of an account, including later ones. */
export interface WorkspaceObserver {
  readonly accountId: string
  /** Called with a workspace, known to it or not. */
  found(workspaceId: string): void
}

/** Finds workspaces created after an observer subscribed to their whole account. */
export interface WorkspaceDiscovery {
  add(observer: WorkspaceObserver): void
  delete(observer: WorkspaceObserver): void
  /** Adds workspaces of an account that a subscription found. */
  addKnown(accountId: string, workspaceIds: readonly string[]): void
  /** An event of a workspace has come. */
  seen(workspaceId: string): void
  start(): void
  stop(): Promise<void>
}

/** Beyond that, all are looked up again: one statement each, and nothing is lost. */
const MOST_KNOWN = 100_000

export function createWorkspaceDiscovery(
  environment: Environment,
  store: Pick<AccessStore, 'listWorkspaces'>,
): WorkspaceDiscovery {
  const observers = new Map<string, Set<WorkspaceObserver>>()
  const known = new Set<string>()
  const unknown = new Set<string>()

  const loop = createBackgroundLoop({
    name: 'realtime:workspaces',
    environment,
    pollIntervalMs: null,
    async pass() {
      for (const workspaceId of unknown) {
        const [workspace] = await store.listWorkspaces({ workspaceId }, environment.call())
        unknown.delete(workspaceId)
        if (workspace !== undefined) learn(workspace.accountId, [workspaceId])
      }
      return null
    },
  })

  function learn(accountId: string, workspaceIds: readonly string[]): void {
    if (known.size >= MOST_KNOWN) known.clear()
    for (const workspaceId of workspaceIds) {
      if (known.has(workspaceId)) continue
      known.add(workspaceId)
      for (const observer of observers.get(accountId) ?? []) observer.found(workspaceId)
    }
  }

  return {
    add(observer) {
      const others = observers.get(observer.accountId)
      if (others === undefined) observers.set(observer.accountId, new Set([observer]))
      else others.add(observer)
    },
    delete(observer) {
      const others = observers.get(observer.accountId)
      others?.delete(observer)
      if (others?.size === 0) observers.delete(observer.accountId)
    },
    addKnown: learn,
    seen(workspaceId) {
      if (observers.size === 0 || known.has(workspaceId)) return
      unknown.add(workspaceId)
      loop.wake()
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  }
}

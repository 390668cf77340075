import type { AccessStore } from '../access/index.js'
import { createLoop, type Environment } from '../environment/index.js'

/** Follows all workspaces of an account, including later ones. */
export interface Follower {
  readonly accountId: string
  /** Called with a workspace, known to it or not. */
  found(workspaceId: string): void
}

/** Finds workspaces created after a follower subscribed to their whole account. */
export interface Newcomers {
  add(follower: Follower): void
  delete(follower: Follower): void
  /** Adds workspaces of an account that a subscription found. */
  learn(accountId: string, workspaceIds: readonly string[]): void
  /** An event of a workspace has come. */
  heard(workspaceId: string): void
  start(): void
  stop(): Promise<void>
}

/** Beyond that, all are looked up again: one statement each, and nothing is lost. */
const MOST_KNOWN = 100_000

export function createNewcomers(
  environment: Environment,
  store: Pick<AccessStore, 'listWorkspaces'>,
): Newcomers {
  const { clock, logger } = environment
  const followers = new Map<string, Set<Follower>>()
  const known = new Set<string>()
  const unknown = new Set<string>()

  const loop = createLoop({
    name: 'realtime:workspaces',
    clock,
    logger,
    pollIntervalMs: null,
    async pass() {
      for (const workspaceId of unknown) {
        const [workspace] = await store.listWorkspaces({ workspaceId }, { now: environment.storageNow() })
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
      for (const follower of followers.get(accountId) ?? []) follower.found(workspaceId)
    }
  }

  return {
    add(follower) {
      const others = followers.get(follower.accountId)
      if (others === undefined) followers.set(follower.accountId, new Set([follower]))
      else others.add(follower)
    },
    delete(follower) {
      const others = followers.get(follower.accountId)
      others?.delete(follower)
      if (others?.size === 0) followers.delete(follower.accountId)
    },
    learn,
    heard(workspaceId) {
      if (followers.size === 0 || known.has(workspaceId)) return
      unknown.add(workspaceId)
      loop.wake()
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  }
}

import {
  createBackgroundLoop,
  sleep,
  systemClock,
  type BackgroundLoop,
  type Environment,
} from '../environment/index.js'
import type { AccessStore, DeletionTarget } from './access-store.js'

type Store = Pick<AccessStore, 'continueDeletion'>

/** How many rows one transaction deletes, about. */
const BATCH = 500
/** How soon to look again when the rest waits for transactions of others. */
const RETRY_MS = 250
/** How soon a process takes up what another one has left. */
const POLL_MS = 10_000

/** Deletes the rows of deleted accounts and workspaces. */
export function createDeletionSweep(
  environment: Environment,
  store: Store,
  commitNotifications: 'complete' | 'hints',
  keepAudit: boolean,
): BackgroundLoop {
  return createBackgroundLoop({
    name: 'deletions',
    environment,
    pollIntervalMs: commitNotifications === 'complete' ? null : POLL_MS,
    async pass() {
      const { deleted, isOver } = await store.continueDeletion(
        { of: null, limit: BATCH, keepAudit },
        environment.call(),
      )
      if (isOver) return null
      return deleted > 0 ? 'now' : RETRY_MS
    },
  })
}

/** Wakes a loop for a deletion within the host's open transaction: a pass before the commit would find nothing, or wait for it. */
export function wakeAtCommit(
  events: { onCommit(listener: () => void): () => void },
  loop: Pick<BackgroundLoop, 'wake'>,
): void {
  const stop = events.onCommit(() => {
    stop()
    loop.wake()
  })
}

/** Deletes all rows of an account or a workspace. Other processes may be at it as well. */
export async function finishDeletion(
  environment: Environment,
  store: Store,
  target: DeletionTarget,
  keepAudit: boolean,
): Promise<void> {
  const of = 'accountId' in target ? target.accountId : target.workspaceId
  for (;;) {
    const call = environment.call()
    const { deleted, isOver } = await store.continueDeletion({ of, limit: BATCH, keepAudit }, call)
    if (isOver) return
    // What it waits for takes real time, also where a test moves the clock.
    if (deleted === 0) await sleep(systemClock, RETRY_MS / 10)
  }
}

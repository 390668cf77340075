import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { AccessStore } from './access-store.js'
import type { Principal } from './principal.js'

/** How long a login, or a step-up, is a proof. */
export const proofLifetimeMs = 10 * 60_000

export interface ProofDeps {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipal'>
  /** Whether the host asks its users itself before what requires a proof. */
  readonly byHost: boolean
}

/** Requires that a user has shown within ten minutes who they are. @throws TaskboardError `STEP_UP_REQUIRED`. */
export type RequireProof = (principal: Principal) => Promise<void>

export function createProofCheck({ environment, store, byHost }: ProofDeps): RequireProof {
  const { clock } = environment

  /** As the storage has it, because another process may have proven the session since it was cached. */
  async function isProvenByNow(sessionId: string): Promise<boolean> {
    const found = await store.findPrincipal({ sessionId }, environment.call())
    return found?.provenAgoMs != null && found.provenAgoMs < proofLifetimeMs
  }

  return async ({ kind, provenAt, sessionId }) => {
    const isOfHost = kind === 'user' && sessionId === undefined
    if (byHost && isOfHost) return
    const agoMs = provenAt == null ? Infinity : clock.now() - provenAt
    if (agoMs >= 0 && agoMs < proofLifetimeMs) return
    if (sessionId !== undefined && (await isProvenByNow(sessionId))) return
    throw new TaskboardError(
      'STEP_UP_REQUIRED',
      'show who you are again: with your password, or by a new login',
    )
  }
}

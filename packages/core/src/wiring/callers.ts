import {
  addressBucket,
  checkedPrincipal,
  createCredentialGuard,
  createOriginGuard,
  createProofCheck,
  createWorkspaceReach,
  showsApiKey,
  type Access,
  type AccessStore,
  type OriginGuard,
} from '../access/index.js'
import type { AuditCounts } from '../audit/index.js'
import type { Environment } from '../environment/index.js'
import type { CredentialRequest, TransportServices } from './transport-services.js'
import type { TaskboardOptions } from './taskboard-options.js'

export interface CallersDeps {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'listWorkspaces' | 'findPrincipal'>
  readonly access: Pick<Access, 'authenticator'>
  readonly counts: Pick<AuditCounts, 'count'>
  readonly options: Pick<TaskboardOptions, 'allowedOrigins' | 'authenticate' | 'limits' | 'stepUp'>
}

/** The part of the services for callers and their reach. */
export function createCallers({
  environment,
  store,
  access,
  counts,
  options,
}: CallersDeps): Pick<
  TransportServices,
  'authenticate' | 'readsHeaders' | 'refuseCredential' | 'refuseUpgrade' | 'requireProof' | 'reach'
> {
  const { allowedOrigins, authenticate, limits } = options
  const credentials = createCredentialGuard({
    clock: environment.clock,
    failuresPerMinute: limits?.failedCredentialsPerMinute,
  })
  const origins = createOriginGuard(allowedOrigins)
  const ofHost = authenticate !== undefined
  return {
    authenticate: authenticateBy(access, origins, authenticate),
    readsHeaders: ofHost,
    refuseCredential(request) {
      const { clientAddress } = request
      const by = { kind: 'system', clientAddress: addressBucket(clientAddress) } as const
      counts.count({ action: 'credential.refused', of: { accountId: null }, by })
      return credentials.refuse(clientAddress, request.header('authorization'))
    },
    refuseUpgrade: (request) => (ofHost ? origins.refuseUpgrade(request) : null),
    requireProof: createProofCheck({ environment, store, byHost: options.stepUp === 'host' }),
    reach: createWorkspaceReach({ environment, store, ofHost }),
  }
}

/**
 * API keys are recognized by their form and checked here. Anything else goes to the host's login, if there is one, unless a page of
 * another origin uses its cookies.
 */
function authenticateBy(
  { authenticator }: Pick<Access, 'authenticator'>,
  origins: OriginGuard,
  ofHost: TaskboardOptions['authenticate'],
): TransportServices['authenticate'] {
  const byCredential = (request: CredentialRequest) =>
    authenticator.authenticate(request.header('authorization'), request.clientAddress)
  if (ofHost === undefined) return byCredential
  return (request) => {
    if (showsApiKey(request.header('authorization'))) return byCredential(request)
    const refusal = origins.refuse(request)
    if (refusal !== null) throw refusal
    const caller = ofHost(request)
    return isThenable(caller) ? Promise.resolve(caller).then(checkedPrincipal) : checkedPrincipal(caller)
  }
}

/** Query builders have their own classes of promises. */
function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

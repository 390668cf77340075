import type {
  Accounts,
  BrowserRequest,
  CallerKeys,
  Login,
  Principal,
  WorkspaceReach,
} from './access/index.js'
import type { Agents, Estimates } from './agents/index.js'
import type { Analytics } from './analytics/index.js'
import type { Board, TaskDirectory } from './board/index.js'
import type { Environment } from './environment/index.js'
import type { TaskboardError } from './errors/index.js'
import type { IdempotencyClaim } from './idempotency/index.js'
import type { LimitDecision, Quota, TierDecision, Tiers } from './limits/index.js'
import type { Scoring } from './priority/index.js'
import type { Realtime } from './realtime/index.js'
import type { Webhooks } from './webhooks/index.js'

/** What a credential is judged by. Every `HttpRequest` is one. */
export interface CredentialRequest extends BrowserRequest {
  readonly path: string
  readonly clientAddress: string
}

/** Where the routes are mounted, below whatever path the host mounts the adapter at. */
export interface SurfacePaths {
  /** The script endpoint. Default `/api/board`. */
  readonly board: string
  /** Webhook registration. Default `/api/webhooks/create`. */
  readonly webhooks: string
  /** What all paths of the enterprise API begin with. Default `/v2`. */
  readonly enterprise: string
}

/**
 * What the protocols of the outside (HTTP now) need of a task board. Made by `createTaskboard`; adapters pass it on and use
 * nothing of it.
 */
export interface Surface<Tx = unknown> {
  readonly environment: Environment
  readonly scoring: Scoring
  readonly paths: SurfacePaths
  /** The largest request body in bytes. */
  readonly bodyLimitBytes: number
  /**
   * Who is calling; null for a missing or wrong credential. Immediate when it can be.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` when that cannot be found out; `FORBIDDEN` for a request that would change something
   *   with cookies that a page of another origin borrows.
   */
  authenticate(request: CredentialRequest): Principal | null | Promise<Principal | null>
  /** Whether `authenticate` may ask for other headers than `authorization`: where the host has a login of its own. */
  readonly readsHeaders: boolean
  /** Why a WebSocket must not be opened: a page of another origin would speak on it with the user's cookies. Null when it may be. */
  refuseUpgrade(request: BrowserRequest): TaskboardError | null
  /** What to answer a request with whose credential does not hold: 401, or 429 when its address failed too often. */
  refuseCredential(request: CredentialRequest): TaskboardError
  /** Which workspaces callers reach. Whatever a caller or its principal names is to be held against it, the default workspace too. */
  readonly reach: WorkspaceReach
  /** Counts a request of the board API against its key: 60 in any rolling minute. */
  takeBoardLimit(principal: Principal): Promise<LimitDecision>
  /** Counts a request of the enterprise API against the hour and the minute of its account; null where neither is limited. */
  takeTierLimit(principal: Principal): Promise<TierDecision | null>
  readonly quota: Quota<Tx>
  /** What the tiers come to. */
  readonly tiers: Tiers
  readonly accounts: Accounts<Tx>
  readonly keys: CallerKeys
  /** Our own login; null when the host has its own, or none. */
  readonly login: Login | null
  readonly agents: Agents<Tx>
  readonly analytics: Analytics<Tx>
  readonly estimates: Estimates<Tx>
  board(workspaceId: string): Board<Tx>
  /** The tasks of all boards. */
  readonly tasks: TaskDirectory<Tx>
  readonly webhooks: Webhooks<Tx>
  /** What the names of the headers of deliveries begin with. */
  readonly webhookHeaderPrefix: string
  /** How many sends the retry schedule makes of one delivery, the first included. */
  readonly maxDeliveryAttempts: number
  /** Answers the repeat of a create as the first one: keeps the first answer under the key, and gives that one back. */
  keepAnswer<T extends object>(claim: IdempotencyClaim, answer: T): Promise<T>
  readonly realtime: Realtime
}

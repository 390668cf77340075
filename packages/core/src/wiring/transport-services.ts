import type {
  Accounts,
  BrowserRequest,
  CallerKeys,
  Login,
  People,
  Principal,
  RequireProof,
  WorkspaceReach,
} from '../access/index.js'
import type { Estimates, TransportAgents } from '../agents/index.js'
import type { Analytics } from '../analytics/index.js'
import type { Audit } from '../audit/index.js'
import type {
  ApprovalDirectory,
  ListedTask,
  ListedTaskInput,
  NewTask,
  Schedules,
  TaskDirectory,
  TaskInput,
  TransportBoard,
} from '../board/index.js'
import type { Bots } from '../bots/index.js'
import type { Channels, Confirmations } from '../channels/index.js'
import type { AuditActor, Environment } from '../environment/index.js'
import type { TaskboardError } from '../errors/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { LimitDecision, Quota, TierDecision, Tiers } from '../limits/index.js'
import type { ServedLinks } from '../links/index.js'
import type { Phase } from './lifecycle.js'
import type { Scoring } from '../priority/index.js'
import type { Realtime } from '../realtime/index.js'
import type { StorageState } from '../storage/index.js'
import type { Usage } from '../usage/index.js'
import type { TransportWebhooks } from '../webhooks/index.js'

/** The data to check a credential. Every `HttpRequest` is one. */
export interface CredentialRequest extends BrowserRequest {
  readonly path: string
  readonly clientAddress: string
  /**
   * The request as the host's framework has it: Express's `Request`, Fastify's `FastifyRequest`, or the Web's `Request` for
   * `toFetchHandler`. For the upgrade of a WebSocket, it is Node's `IncomingMessage`. Narrow it to what your middleware adds, such as a
   * session. Undefined when a transport has none.
   */
  readonly raw?: unknown
  /**
   * True for a WebSocket or a stream of events, and each time its caller is checked again. `raw` is then the request that opened it: no
   * middleware has seen an upgrade, and values that one added to another request may be old. Read the session again.
   */
  readonly isConnection?: boolean | undefined
}

/** The paths of the routes, below the path where the host mounts the adapter. */
export interface RoutePaths {
  /** The Board API. Default `/api/board`. */
  readonly board: string
  /** Webhook registration. Default `/api/webhooks/create`. */
  readonly webhooks: string
  /** The prefix of API v2. Default `/v2`. */
  readonly v2: string
  /** The dashboard, where the host mounts it. Default `/dashboard`. */
  readonly dashboard: string
}

/** What shows whether the task board works, besides its loops. */
export interface HealthServices {
  readonly phase: { readonly current: Phase }
  /** The state of the storage: whether it responds, and its missing parts. */
  check(): Promise<StorageState>
}

/**
 * What protocols such as HTTP need of a task board. `createTaskboard` makes it. You pass it to an adapter and use nothing of it.
 */
export interface TransportServices<Tx = unknown> {
  readonly environment: Environment
  readonly scoring: Scoring
  readonly health: HealthServices
  readonly paths: RoutePaths
  /** The option `publicUrl`, without a final slash; null without it. */
  readonly publicUrl: string | null
  /** The largest request body in bytes. */
  readonly bodyLimitBytes: number
  /**
   * The caller; null for a missing or wrong credential. Immediate if possible.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` when the credential can't be checked; `FORBIDDEN` for a request that would change
   *   something with cookies from a page of another origin.
   */
  authenticate(request: CredentialRequest): Principal | null | Promise<Principal | null>
  /** Whether `authenticate` may read headers other than `authorization`: true with the host's login. */
  readonly readsHeaders: boolean
  /** Why a WebSocket is rejected: a page of another origin would use it with the user's cookies. Null when it is allowed. */
  refuseUpgrade(request: BrowserRequest): TaskboardError | null
  /** The response to a request with an invalid credential: 401, with the wait when its address failed too often. */
  refuseCredential(request: CredentialRequest): TaskboardError
  /** Requires that a user has shown within ten minutes who they are. @throws TaskboardError (rejecting) `STEP_UP_REQUIRED`. */
  readonly requireProof: RequireProof
  /** The workspaces within a caller's reach. Check every workspace that a caller or its principal names, the default one too. */
  readonly reach: WorkspaceReach
  /** Counts a request to the board API against its key: 60 in any rolling minute. */
  takeBoardLimit(principal: Principal): Promise<LimitDecision>
  /** Counts a request to API v2 against the hour and the minute of its account; null without limits. */
  takeTierLimit(principal: Principal): Promise<TierDecision | null>
  readonly quota: Quota<Tx>
  /** The terms of the tiers. */
  readonly tiers: Tiers
  readonly accounts: Accounts<Tx>
  readonly audit: Audit<Tx>
  /** Counts a request that was refused to a caller, for the audit. */
  countRefusal(by: AuditActor, accountId: string): void
  /** The option `members.direct`. */
  readonly directMembers: boolean
  readonly keys: CallerKeys
  readonly links: ServedLinks
  /** The people of the board, when they don't call. */
  readonly people: People
  /** Taskboard's login; null when the host has its own, or none. */
  readonly login: Login | null
  readonly agents: TransportAgents<Tx>
  readonly analytics: Analytics<Tx>
  readonly estimates: Estimates<Tx>
  board(workspaceId: string): TransportBoard<Tx>
  /**
   * Validates a task for the board of a workspace, which need not exist.
   * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the first field that is wrong.
   */
  parseTask(input: TaskInput, workspaceId: string): NewTask
  /** The same for a list of tasks; the message names the position. */
  parseTasks(inputs: readonly ListedTaskInput[], workspaceId: string): readonly ListedTask[]
  /** The tasks of all boards. */
  readonly tasks: TaskDirectory<Tx>
  /** The approvals of all boards. */
  readonly approvals: ApprovalDirectory<Tx>
  /** The schedules of all boards. */
  readonly schedules: Schedules<Tx>
  readonly usage: Usage<Tx>
  readonly webhooks: TransportWebhooks<Tx>
  /** The notification channels that users set up. */
  readonly channels: Channels<Tx>
  /** The bots in messengers, and who is linked with them. */
  readonly bots: Bots
  /** How recipients of them confirm. */
  readonly confirmations: Confirmations
  /** The prefix of the header names of deliveries. */
  readonly webhookHeaderPrefix: string
  /** The most sends of one delivery in the retry schedule, including the first. */
  readonly maxDeliveryAttempts: number
  /** Stores the first response to a create under its key, and returns it to each retry. */
  saveIdempotentResponse<T extends object>(claim: IdempotencyClaim, answer: T): Promise<T>
  readonly realtime: Realtime
}

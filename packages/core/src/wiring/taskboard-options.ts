import {
  createOriginGuard,
  createSecretBox,
  ephemeralSecretBox,
  resolveTokenOptions,
  type AllowedOrigins,
  type InvitationMessage,
  type PasswordHasher,
  type PeopleOptions,
  type Principal,
  type SecretBox,
  type SecretBoxOptions,
  type TokenOptions,
} from '../access/index.js'
import { anyAgentType, type AgentDefinition } from '../agents/index.js'
import type { AnalyticsOptions } from '../analytics/index.js'
import type { Backoff } from '../board/index.js'
import { checkedBots, type Bot } from '../bots/index.js'
import type { Registered } from '../channels/index.js'
import type { Clock, Logger, Random, Telemetry } from '../environment/index.js'
import { baseUrlForm, mountPath, routePath, TaskboardError, toBaseUrl } from '../errors/index.js'
import type { EventLink } from '../events/index.js'
import { resolveBounds, resolveTiers, type BoundOptions, type TierOptions } from '../limits/index.js'
import { resolveLinkOptions, type LinkOptions } from '../links/index.js'
import type { ScoringOptions } from '../priority/index.js'
import { resolveRealtimeOptions, type RealtimeOptions } from '../realtime/index.js'
import type { Storage } from '../storage/index.js'
import type { NewCredential } from './new-credentials.js'
import type { CredentialRequest, RoutePaths } from './transport-services.js'
import type { ModelPrices } from '../usage/index.js'
import type { WebhookOptions } from '../webhooks/index.js'

/** The options of `createTaskboard`. Only `storage` is required. */
export interface TaskboardOptions<Tx = unknown> {
  /** Where everything is: `postgresStorage({ pool })`, or `memoryStorage()` for tests. One storage is for one board. */
  readonly storage: Storage<Tx>
  /** The agent types that this process works. Can be empty: a process can serve only the API. */
  readonly agents?: readonly AgentDefinition[] | undefined
  /**
   * The host's login: returns the caller, or null. Called for each request before anything else is checked, unless the request has
   * an API key of Taskboard, recognized by its form.
   */
  readonly authenticate?:
    | ((request: CredentialRequest) => Principal | null | Promise<Principal | null>)
    | undefined
  /**
   * Keys with many rights, members and second factors require that a user has shown within ten minutes who they are. With `'host'`, your
   * application sees to that itself for the users of `authenticate`. Without it, `authenticate` says when they did, as `provenAt`.
   */
  readonly stepUp?: 'host' | undefined
  /**
   * Other origins whose pages can use your users' cookies, if `authenticate` uses cookies: `['https://app.example']`. A request that
   * changes something and each WebSocket upgrade must come from a page with your origin or with one in this list. Requests with an
   * `Authorization` header or without a cookie are exempt. Default none; `'any'` turns this check off. Without `authenticate` no cookie is
   * a credential, and nothing is checked.
   */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /**
   * With the host's login: who its people are when they don't call, for links that decide and for bots. Taskboard's login has this built
   * in.
   */
  readonly people?: PeopleOptions | undefined
  /** Taskboard's login, with access and refresh tokens. Without it, only API keys are valid, or also the host’s login. */
  readonly tokens?: TokenOptions | undefined
  /** How accounts get their users, with Taskboard's login. */
  readonly members?:
    | {
        /** Sends an invitation, for example by email. Without it, who invites gets the link. Must not throw for an address that can't be reached. */
        readonly onInvitation?: ((invitation: InvitationMessage) => void | Promise<void>) | undefined
        /**
         * Whether those who may change an account can also make users with a password, without asking the address. Only for hosts whose users trust
         * each other: it says which addresses have an account anywhere on the board. Default false.
         */
        readonly direct?: boolean | undefined
      }
    | undefined
  /**
   * Called when an API key or a user is made, by your code or over an API, for a host that keeps where accounts are. It is called before the
   * commit: an error that it throws rejects the call, which then makes neither. It may be called again for the same one, and for one that is
   * not made in the end, because the commit fails. A transaction is open while it runs, so don't call the board in it.
   */
  readonly onCredential?: ((made: NewCredential) => void | Promise<void>) | undefined
  /** The API keys that users make. */
  readonly keys?:
    | {
        /** How long one lasts at most, from its creation. A key without its own expiry gets this one. Default: no limit. */
        readonly longestLifetimeMs?: number | undefined
      }
    | undefined
  /** Hashes passwords. Default: `passwordHasher()`, scrypt with N = 2^15, r = 8, p = 3. */
  readonly passwordHasher?: PasswordHasher | undefined
  /** Encrypts stored webhook and one-time password secrets. Required with a durable storage; otherwise the process generates a key. */
  readonly secrets?: SecretBoxOptions | undefined
  /**
   * Ways to notify people, besides webhooks. A channel (`NotificationChannel`) is yours: you turn it on for a workspace by its name.
   * Of a type (`NotificationType`), such as `slack()` of `@taskboard/notify`, users set up their own channels.
   */
  readonly notifications?: readonly Registered[] | undefined
  /** Bots in messengers, such as `telegramBot()` of `@taskboard/bots`. They need `publicUrl`, and `people` with the host's login. */
  readonly bots?: readonly Bot[] | undefined
  /** How webhooks are sent, retried and signed, and where they may go. */
  readonly webhooks?: WebhookOptions | undefined
  /** How long people would take for a task, for the time saved. */
  readonly analytics?: AnalyticsOptions | undefined
  /** Weights and horizons of the score. A change on a durable storage requires `rescore()`. */
  readonly priority?: ScoringOptions | undefined
  /** How often a task is tried, and after which waits. */
  readonly attempts?:
    | {
        /** How many claims a task gets before it is held as `failed`. Default 5. */
        readonly max?: number | undefined
        /** The wait after a failed or expired attempt. Default 10 s, doubling, up to 10 min. */
        readonly backoff?: Backoff | undefined
      }
    | undefined
  /** How long requests for approval are open. */
  readonly approvals?:
    | {
        /** For how long a request for approval can be decided. Then the next attempt asks again. Default 7 days. */
        readonly expireAfterMs?: number | undefined
      }
    | undefined
  /**
   * The prices of language models, by the name that reports of usage have, in dollars for a million tokens. A report with its own cost
   * counts as the larger of the two. `*` is the price of all other models: without it, they are free unless the report names a cost.
   */
  readonly prices?: ModelPrices | undefined
  /** Rates of the board API and of failed credentials. The limits of API v2 are in `tiers`. */
  readonly limits?:
    | {
        /** Requests to the board API per key in any rolling minute. Default 60. */
        readonly boardPerMinute?: number | undefined
        /**
         * Failed credentials per client address in any rolling minute. Also limits failed refreshes, and all logins, because they
         * are costly. Default 60.
         */
        readonly failedCredentialsPerMinute?: number | undefined
      }
    | undefined
  /** Terms of the tiers that differ from the defaults: rates, connections and quotas. */
  readonly tiers?: TierOptions | undefined
  /** Options of the realtime channel. */
  readonly realtime?: RealtimeOptions | undefined
  /** Where the routes are, below the path of the mount. */
  readonly paths?: Partial<RoutePaths> | undefined
  /**
   * The origin and the mount path of the routes as people's browsers see them: `https://app.example/kanban`. Links in notifications and
   * login links begin with it; no address is ever taken from a request. Without it, notifications have no link.
   */
  readonly publicUrl?: string | undefined
  /** Links that decide an approval, or answer a question, as one person. */
  readonly links?: LinkOptions | undefined
  /** Bounds that protect the process and its database. The defaults suit nearly every host. */
  readonly bounds?: BoundOptions | undefined
  /** How long finished records are kept. */
  readonly retention?:
    | {
        /** How long events are kept. Default 30 days. */
        readonly eventsMs?: number | undefined
        /** How long finished webhook deliveries are kept. Default 30 days. */
        readonly deliveriesMs?: number | undefined
        /** How many days after its completion a task is deleted, with its `task.deleted`. Default: tasks are kept. */
        readonly doneTasksDays?: number | null | undefined
        /** How many days a record of the audit is kept. Default 400. Records without an account are kept for 30 days at most. */
        readonly auditDays?: number | undefined
        /** Whether the audit of a deleted account is kept for its time, instead of being deleted with the account. Default false. */
        readonly keepAuditOfDeletedAccounts?: boolean | undefined
      }
    | undefined
  /**
   * Whether a new workspace gets an agent. It is of the first type in `agents` that isn't `'*'`, or of the type `general` when there is
   * only `'*'`. Default true.
   */
  readonly createDefaultAgent?: boolean | undefined
  /**
   * How long a worker outside of the runtimes counts as active after its last claim for an agent, so that the agent is available.
   * Default 60,000.
   */
  readonly remoteWorkerTimeoutMs?: number | undefined
  /** The longest wait between polls of a storage that other processes write to. Default 1,000. */
  readonly pollIntervalMs?: number | undefined
  /** The source of time and timers, for tests. Default: the system's. */
  readonly clock?: Clock | undefined
  /** The source of random bytes, for tests. Default: the system's. */
  readonly random?: Random | undefined
  /**
   * The logger for what happens in the background, for example a pino logger. Default: warnings and errors go to the console.
   * False for none.
   */
  readonly logger?: Logger | false | undefined
  /** Where traces and metrics go, for example `otelTelemetry()` of `@taskboard/otel`. Default: nowhere. */
  readonly telemetry?: Telemetry | undefined
}

const DAY_MS = 86_400_000
const LONGEST_MS = 10 * 365 * DAY_MS
const MOST_USD = 1_000_000

/** @throws TaskboardError `INVALID_CONFIG` naming the first option with an invalid value. */
export function checkOptions<Tx>(options: TaskboardOptions<Tx>): void {
  const { attempts, limits, retention } = options
  const numbers: readonly (readonly [string, number | undefined, number])[] = [
    ['attempts.max', attempts?.max, 100],
    ['approvals.expireAfterMs', options.approvals?.expireAfterMs, LONGEST_MS],
    ['keys.longestLifetimeMs', options.keys?.longestLifetimeMs, LONGEST_MS],
    ['limits.boardPerMinute', limits?.boardPerMinute, 100_000],
    ['limits.failedCredentialsPerMinute', limits?.failedCredentialsPerMinute, 100_000],
    ['retention.eventsMs', retention?.eventsMs, LONGEST_MS],
    ['retention.deliveriesMs', retention?.deliveriesMs, LONGEST_MS],
    ['retention.doneTasksDays', retention?.doneTasksDays ?? undefined, LONGEST_MS / DAY_MS],
    ['retention.auditDays', retention?.auditDays, LONGEST_MS / DAY_MS],
    ['remoteWorkerTimeoutMs', options.remoteWorkerTimeoutMs, LONGEST_MS],
    ['pollIntervalMs', options.pollIntervalMs, 3_600_000],
  ]
  for (const [field, value, most] of numbers) {
    const isFine = value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)
    requireOption(isFine, field, `must be a whole number from 1 to ${most}`)
  }
  requireOption(
    attempts?.backoff === undefined || isBackoff(attempts.backoff),
    'attempts.backoff',
    'must not decrease from one retry to the next',
  )
  for (const [model, price] of Object.entries(options.prices ?? {})) {
    for (const usd of [price.inputUsd, price.outputUsd, price.cachedInputUsd ?? 0]) {
      const isFine = typeof usd === 'number' && usd >= 0 && usd <= MOST_USD
      requireOption(isFine, `prices.${model}`, `must be numbers from 0 to ${MOST_USD}`)
    }
  }
  if (options.tokens !== undefined) {
    requireOption(options.authenticate === undefined, 'tokens', 'cannot be combined with authenticate')
    requireOption(
      options.people === undefined,
      'people',
      'cannot be combined with tokens, which have it built in',
    )
    resolveTokenOptions(options.tokens)
  }
  checkedBots(options.bots ?? [])
  createOriginGuard(options.allowedOrigins)
  const { requireLogin } = resolveLinkOptions(options.links)
  const hasLogin = options.tokens !== undefined || options.authenticate !== undefined
  requireOption(!requireLogin || hasLogin, 'links.requireLogin', 'requires tokens or authenticate')
  resolveTiers(options.tiers)
  resolveBounds(options.bounds)
  resolveRealtimeOptions(options.realtime)
  const { v2, ...others } = pathsOf(options)
  const paths = Object.values(others)
  const isApart = paths.every((path) => path !== v2 && !path.startsWith(`${v2}/`))
  requireOption(isApart && new Set(paths).size === paths.length, 'paths', 'must differ')
  publicUrlOf(options)
}

function isBackoff({ baseMs, factor, maxMs }: Backoff): boolean {
  return baseMs >= 0 && factor >= 1 && maxMs >= baseMs && maxMs <= LONGEST_MS
}

function requireOption(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}

/** The paths of the routes, with the defaults. @throws TaskboardError `INVALID_CONFIG` for one that is none. */
function pathsOf<Tx>({ paths }: TaskboardOptions<Tx>): RoutePaths {
  return {
    board: routePath('paths.board', paths?.board ?? '/api/board'),
    webhooks: routePath('paths.webhooks', paths?.webhooks ?? '/api/webhooks/create'),
    v2: routePath('paths.v2', paths?.v2 ?? '/v2'),
    dashboard: routePath('paths.dashboard', paths?.dashboard ?? '/dashboard'),
  }
}

/** Where the routes are, for a transport, as people see them. @throws TaskboardError `INVALID_CONFIG`. */
export function addressesOf<Tx>(options: TaskboardOptions<Tx>) {
  return { paths: pathsOf(options), publicUrl: publicUrlOf(options) }
}

/** @throws TaskboardError `INVALID_CONFIG` for an invalid mount path. */
function publicUrlOf<Tx>({ publicUrl }: TaskboardOptions<Tx>): string | null {
  if (publicUrl === undefined) return null
  const url = toBaseUrl(publicUrl)
  if (url === null)
    throw new TaskboardError('INVALID_CONFIG', `publicUrl must be ${baseUrlForm}`, { field: 'publicUrl' })
  mountPath('publicUrl', new URL(url).pathname)
  return url
}

/** The page in the dashboard of the task of an event. Null for other events, for deleted tasks, and without `publicUrl`. */
export function taskPageOf<Tx>(options: TaskboardOptions<Tx>): EventLink {
  const publicUrl = publicUrlOf(options)
  const { dashboard } = pathsOf(options)
  return ({ type, data }) => {
    const { taskId = null } = data as { readonly taskId?: string | null }
    if (publicUrl === null || taskId === null || type === 'task.deleted') return null
    return `${publicUrl}${dashboard}/#/tasks/${encodeURIComponent(taskId)}`
  }
}

/** The page of the dashboard that accepts the invitation of a token; without `publicUrl`, from the root of the host. */
export function invitationPageOf<Tx>(options: TaskboardOptions<Tx>): (token: string) => string {
  const page = `${publicUrlOf(options) ?? ''}${pathsOf(options).dashboard}/#invitation=`
  return (token) => page + token
}

/** The page on which a recipient of notifications confirms that they are wanted. Null without `publicUrl`. */
export function confirmationPageOf<Tx>(options: TaskboardOptions<Tx>): ((token: string) => string) | null {
  const publicUrl = publicUrlOf(options)
  const { v2 } = pathsOf(options)
  return publicUrl === null ? null : (token) => `${publicUrl}${v2}/confirm-notifications?token=${token}`
}

/** The page of a link that decides. Null without `publicUrl`. */
export function linkPageOf<Tx>(options: TaskboardOptions<Tx>): ((token: string) => string) | null {
  const publicUrl = publicUrlOf(options)
  const { v2 } = pathsOf(options)
  return publicUrl === null ? null : (token) => `${publicUrl}${v2}/decide/${token}`
}

/** A key generated by the process is enough only for secrets that end with it. */
export function secretsOf<Tx>(
  { secrets, storage }: TaskboardOptions<Tx>,
  { random }: { readonly random: Random },
): SecretBox {
  if (secrets !== undefined) return createSecretBox(secrets, random)
  if (!storage.durable) return ephemeralSecretBox(random)
  throw new TaskboardError('INVALID_CONFIG', 'secrets.encryptionKey is required with a durable storage', {
    field: 'secrets.encryptionKey',
  })
}

const DEFAULT_POLL_INTERVAL_MS = 1_000
/** The type of a new workspace's agent if the host's runtimes name none. */
const DEFAULT_AGENT_TYPE = 'general'

/** Null for a storage that reports each commit. */
export function pollIntervalOf<Tx>({ storage, pollIntervalMs }: TaskboardOptions<Tx>): number | null {
  return storage.commitNotifications === 'complete' ? null : (pollIntervalMs ?? DEFAULT_POLL_INTERVAL_MS)
}

/** The agent of a new workspace; null for none. */
export function defaultAgentOf<Tx>({
  agents = [],
  createDefaultAgent = true,
}: TaskboardOptions<Tx>): { readonly name: string; readonly type: string } | null {
  const first = agents.find(({ type }) => type !== anyAgentType) ?? agents[0]
  if (!createDefaultAgent || first === undefined) return null
  const { name, type } = first
  return { name, type: type === anyAgentType ? DEFAULT_AGENT_TYPE : type }
}

import { requireOptionNames, TaskboardError, type NamesOf } from '../errors/index.js'
import type { TaskboardOptions } from './taskboard-options.js'

const names: NamesOf<TaskboardOptions> = {
  storage: true,
  agents: true,
  authenticate: true,
  stepUp: true,
  allowedOrigins: true,
  people: { principal: true, find: true },
  tokens: {
    secret: true,
    issuer: true,
    audience: true,
    accessTokenTtlMs: true,
    refreshTokenTtlMs: true,
    sessionTtlMs: true,
  },
  members: { onInvitation: true, direct: true },
  onCredential: true,
  keys: { longestLifetimeMs: true },
  passwordHasher: true,
  secrets: { encryptionKey: true },
  notifications: true,
  bots: true,
  webhooks: {
    allow: true,
    headerPrefix: true,
    userAgent: true,
    timeoutMs: true,
    retryDelaysMs: true,
    retryJitter: true,
    disableAfterMs: true,
    rotationOverlapMs: true,
    shortestSecret: true,
    mostPerHostPerMinute: true,
    ca: true,
    resolver: true,
    sender: true,
  },
  analytics: { baselineMinutes: { default: true, byType: true } },
  priority: { weights: true, dueHorizonMs: true, dueFarHorizonMs: true, ageHorizonMs: true },
  attempts: { max: true, backoff: { baseMs: true, factor: true, maxMs: true } },
  approvals: { expireAfterMs: true },
  prices: true,
  limits: { boardPerMinute: true, failedCredentialsPerMinute: true },
  tiers: true,
  realtime: {
    heartbeatIntervalMs: true,
    recheckIntervalMs: true,
    authenticateIntervalMs: true,
  },
  paths: { board: true, webhooks: true, v2: true, dashboard: true },
  publicUrl: true,
  links: { requireLogin: true, loginUrl: true, name: true, color: true },
  bounds: {
    bodyLimitBytes: true,
    longestOutageMs: true,
    usdPerReport: true,
    tokensPerReport: true,
    maxDeliveries: true,
    maxDeliveriesPerAccount: true,
    maxDeliveriesPerWebhook: true,
    messageLimitBytes: true,
    messagesPerMinute: true,
    bufferLimitBytes: true,
    unauthenticatedPerAddress: true,
    unauthenticated: true,
    subscriptionsPerConnection: true,
    replayLimit: true,
  },
  retention: {
    eventsMs: true,
    deliveriesMs: true,
    doneTasksDays: true,
    auditDays: true,
    keepAuditOfDeletedAccounts: true,
  },
  createDefaultAgent: true,
  remoteWorkerTimeoutMs: true,
  pollIntervalMs: true,
  clock: true,
  random: true,
  logger: true,
  telemetry: true,
}

const METHODS_OF_LOGGERS = ['debug', 'info', 'warn', 'error', 'fatal']

/**
 * Checks what plain JavaScript can get wrong: names, and what other functions return.
 * @throws TaskboardError `INVALID_CONFIG` naming the option.
 */
export function checkOptionKinds<Tx>(options: TaskboardOptions<Tx>): void {
  requireOptionNames<TaskboardOptions>(options, names)
  const {
    storage,
    agents = [],
    logger,
    clock,
    random,
    telemetry,
    authenticate,
    people,
    notifications = [],
    onCredential,
  } = options as {
    readonly [Name in keyof TaskboardOptions]?: unknown
  }
  requireKind(
    has(storage, ['bind', 'open']),
    'storage',
    'must be a storage, such as memoryStorage() or postgresStorage({ pool })',
  )
  const isAgents =
    Array.isArray(agents) && agents.every((each) => has(each, ['run']) && 'concurrency' in each)
  requireKind(isAgents, 'agents', 'must be a list of what defineAgent returns')
  const isLogger = logger === undefined || logger === false || has(logger, METHODS_OF_LOGGERS)
  requireKind(isLogger, 'logger', `must be false, or have the methods ${METHODS_OF_LOGGERS.join(', ')}`)
  requireKind(clock === undefined || has(clock, ['now', 'setTimer']), 'clock', 'must have now and setTimer')
  requireKind(
    random === undefined || has(random, ['bytes', 'fraction']),
    'random',
    'must have bytes and fraction',
  )
  const isChannels =
    Array.isArray(notifications) &&
    notifications.every((each) => has(each, ['send']) || has(each, ['deliver']))
  requireKind(
    isChannels,
    'notifications',
    'must be a list of channels, and of types such as slack() of @taskboard/notify',
  )
  requireKind(
    telemetry === undefined || has(telemetry, ['observe']),
    'telemetry',
    'must be what otelTelemetry() returns, or another one with its methods',
  )
  requireKind(
    authenticate === undefined || typeof authenticate === 'function',
    'authenticate',
    'must be a function',
  )
  requireKind(people === undefined || has(people, ['principal']), 'people.principal', 'must be a function')
  const { find } = (people ?? {}) as { readonly find?: unknown }
  requireKind(find === undefined || typeof find === 'function', 'people.find', 'must be a function')
  requireKind(
    onCredential === undefined || typeof onCredential === 'function',
    'onCredential',
    'must be a function',
  )
}

function has(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}

function requireKind(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}

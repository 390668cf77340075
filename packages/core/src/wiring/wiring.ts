import { createAccess, createDeletionSweep, type Access, type SecretBox } from '../access/index.js'
import { createAgentDirectory, type AgentDirectory } from '../agents/index.js'
import { createAuditCounts, type AuditCounts, type AuditRecord } from '../audit/index.js'
import { auditedStorage } from './audited-storage.js'
import { createTaskSweep, defaultBackoff, type Backoff } from '../board/index.js'
import {
  createEnvironment,
  createSharedAbort,
  type BackgroundLoop,
  type Environment,
} from '../environment/index.js'
import { createEmitter, type TaskboardEmitter } from '../events/index.js'
import { createQuota, type Quota, resolveBounds, resolveTiers, type Tiers } from '../limits/index.js'
import type { LifecyclePhase } from './lifecycle.js'
import { createScoring, type Scoring } from '../priority/index.js'
import { quotaWithRefusals } from './refusals.js'
import type { Storage } from '../storage/index.js'
import {
  checkOptions,
  invitationPageOf,
  taskPageOf,
  pollIntervalOf,
  secretsOf,
  type TaskboardOptions,
} from './taskboard-options.js'
import { checkOptionKinds } from './option-names.js'
import {
  createEndpointGuard,
  createHostRates,
  createUndiciSender,
  resolveWebhookSettings,
  systemResolver,
  type EndpointGuard,
  type HostRates,
  type WebhookSettings,
} from '../webhooks/index.js'

const LOG_LINES_PER_TASK = 1_000
const OUTPUTS_PER_TASK = 100

/** The parts made from the options, shared by everything built on them. */
export interface Wiring<Tx> {
  readonly linkOf: ReturnType<typeof taskPageOf>
  readonly options: TaskboardOptions<Tx>
  readonly bounds: ReturnType<typeof resolveBounds>
  readonly environment: Environment
  readonly storage: Storage<Tx>
  readonly scoring: Scoring
  readonly secrets: SecretBox
  readonly access: Access
  readonly guard: EndpointGuard
  readonly webhookSettings: WebhookSettings
  /** Of webhooks and of users' channels together. */
  readonly rates: HostRates
  readonly routes: BackgroundLoop
  readonly backoff: Backoff
  readonly directory: AgentDirectory
  readonly deletions: BackgroundLoop
  readonly emitter: TaskboardEmitter
  readonly auditCounts: AuditCounts
  readonly tiers: Tiers
  /** Reports what it rejects. */
  readonly quota: Quota<Tx>
  /** Aborts at the end of `close`. */
  readonly closed: AbortController
  readonly phase: LifecyclePhase
}

export function createWiring<Tx>(options: TaskboardOptions<Tx>): Wiring<Tx> {
  checkOptionKinds(options)
  checkOptions(options)
  const bounds = resolveBounds(options.bounds)
  const environment = createEnvironment(options)
  const scoring = createScoring(options.priority)
  const emitter = createEmitter(environment.logger)
  const onRecord = (record: AuditRecord): void => {
    environment.logger.info({ audit: record }, 'audit')
    emitter.emitAudit(record)
  }
  const storage = auditedStorage(options.storage, onRecord, options.onCredential)
  const auditCounts = createAuditCounts({ environment, store: storage.audit, onRecord })
  const secrets = secretsOf(options, environment)
  const tiers = resolveTiers(options.tiers)
  const webhookSettings = resolveWebhookSettings(options.webhooks, bounds)
  const wiring: Wiring<Tx> = {
    options,
    tiers,
    quota: quotaWithRefusals(
      createQuota({
        environment,
        store: storage.quotas,
        transaction: (work) => storage.transaction(work),
        tiers,
      }),
      environment.telemetry,
    ),
    bounds,
    environment,
    storage,
    emitter,
    auditCounts,
    scoring,
    secrets,
    linkOf: taskPageOf(options),
    access: createAccess({
      environment,
      store: storage.access,
      sessions: storage.sessions,
      limits: storage.limits,
      secrets,
      tokens: options.tokens,
      hasher: options.passwordHasher,
      failuresPerMinute: options.limits?.failedCredentialsPerMinute,
      longestLifetimeMs: options.keys?.longestLifetimeMs,
      linkTo: invitationPageOf(options),
      onInvitation: options.members?.onInvitation,
      onRefusedLogin: ({ action, userId, by }) =>
        auditCounts.count({ action, by, of: userId === null ? { accountId: null } : { userId } }),
    }),
    guard: createEndpointGuard({ allow: options.webhooks?.allow }),
    webhookSettings,
    rates: createHostRates(webhookSettings.mostPerHostPerMinute),
    backoff: options.attempts?.backoff ?? defaultBackoff,
    directory: createAgentDirectory(environment, storage.agents),
    routes: createTaskSweep({
      name: 'route-sweep',
      left: 'routes',
      environment,
      tasks: storage.tasks,
      pollIntervalMs: pollIntervalOf(options),
    }),
    deletions: createDeletionSweep(
      environment,
      storage.access,
      storage.commitNotifications,
      keepsAudit(options),
    ),
    closed: createSharedAbort(),
    phase: { current: 'created' },
  }
  const { newId, clock, logger } = environment
  const limits = { logLimit: LOG_LINES_PER_TASK, outputLimit: OUTPUTS_PER_TASK }
  storage.bind({ scoring, newId, clock, logger, ...limits })
  return wiring
}

export const keepsAudit = <Tx>({ retention }: TaskboardOptions<Tx>): boolean =>
  retention?.keepAuditOfDeletedAccounts ?? false

export function createSender<Tx>({ environment, guard, options }: Wiring<Tx>) {
  const { resolver = systemResolver, ca } = options.webhooks ?? {}
  return createUndiciSender({ clock: environment.clock, guard, resolver, ca })
}

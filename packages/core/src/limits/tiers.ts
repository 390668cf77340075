import { TaskboardError } from '../errors/index.js'

export const tiers = ['professional', 'enterprise', 'custom'] as const
/** The subscription of an account. */
export type Tier = (typeof tiers)[number]

/**
 * The resources that an account can hold a limited number of, in all of its workspaces, with the default quota of each tier; null:
 * unlimited. This is the only list of them. Resources that make work by themselves have a quota by default. It is more than anyone needs,
 * and few enough that no one fills the storage by accident.
 */
const held = {
  agents: { professional: null, enterprise: null, custom: null },
  /** Those that are neither revoked nor expired. */
  apiKeys: { professional: null, enterprise: null, custom: null },
  webhooks: { professional: 500, enterprise: 5_000, custom: null },
  /** Those that users set up. */
  notificationChannels: { professional: 500, enterprise: 5_000, custom: null },
  schedules: { professional: 1_000, enterprise: 10_000, custom: null },
} as const satisfies Record<string, Readonly<Record<Tier, number | null>>>

/** A resource that an account can hold a limited number of. */
export type HeldResource = keyof typeof held

/** All of them. */
export const heldResources = Object.keys(held) as readonly HeldResource[]

/**
 * A value for each resource that an account holds.
 * @example
 * ```ts
 * import { eachHeld } from '@taskboard/core/storage'
 *
 * console.log(eachHeld(() => 0).webhooks) // 0
 * ```
 */
export function eachHeld<T>(valueOf: (resource: HeldResource) => T): Readonly<Record<HeldResource, T>> {
  return Object.fromEntries(heldResources.map((resource) => [resource, valueOf(resource)])) as Record<
    HeldResource,
    T
  >
}

/** The quotas of an account: how many of each resource it can hold. Null: unlimited. */
export interface QuotaTerms extends Readonly<Record<HeldResource, number | null>> {
  /** Tasks created in a calendar month, UTC. */
  readonly tasksPerMonth: number | null
}

/** The terms of a tier. Null: unlimited. */
export interface TierTerms {
  /** Requests to API v2 per account, in each hour that starts on the hour. */
  readonly requestsPerHour: number | null
  /** Requests to API v2 per account, in any rolling minute. */
  readonly burstPerMinute: number | null
  readonly webSocketConnections: number | null
  readonly quota: QuotaTerms
}

export type Tiers = Readonly<Record<Tier, TierTerms>>

/** Replaces the given default terms; null makes one unlimited. */
export type TierOptions = Partial<Record<Tier, TierChange | undefined>>

export interface TierChange extends Partial<Undefinable<Omit<TierTerms, 'quota'>>> {
  readonly quota?: Partial<Undefinable<QuotaTerms>> | undefined
}

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined }

const quotaOf = (tier: Tier): QuotaTerms => ({
  tasksPerMonth: null,
  ...eachHeld((resource) => held[resource][tier]),
})

/** The default terms. */
export const defaultTiers: Tiers = {
  professional: {
    requestsPerHour: 10_000,
    burstPerMinute: 500,
    webSocketConnections: 25,
    quota: quotaOf('professional'),
  },
  enterprise: {
    requestsPerHour: 100_000,
    burstPerMinute: 2_000,
    webSocketConnections: 100,
    quota: quotaOf('enterprise'),
  },
  custom: {
    requestsPerHour: null,
    burstPerMinute: null,
    webSocketConnections: null,
    quota: quotaOf('custom'),
  },
}

const MOST = 1_000_000_000

/**
 * The terms of all tiers. Numbers are whole and at most a billion: rates and connections from 1, quotas from 0.
 * @throws TaskboardError `INVALID_CONFIG` naming the first invalid option, for example `tiers.custom.quota.agents`.
 */
export function resolveTiers(options: TierOptions = {}): Tiers {
  requireNames('tiers', options, defaultTiers)
  return {
    professional: resolveTier('professional', options.professional),
    enterprise: resolveTier('enterprise', options.enterprise),
    custom: resolveTier('custom', options.custom),
  }
}

function resolveTier(tier: Tier, change: TierChange = {}): TierTerms {
  const { quota: defaultQuota, ...defaultRates } = defaultTiers[tier]
  const { quota = {}, ...rates } = change
  return {
    ...overridden(`tiers.${tier}`, defaultRates, rates, 1),
    quota: overridden(`tiers.${tier}.quota`, defaultQuota, quota, 0),
  }
}

function overridden<T extends Readonly<Record<keyof T, number | null>>>(
  path: string,
  defaults: T,
  given: Partial<Undefinable<T>>,
  least: number,
): T {
  requireNames(path, given, defaults)
  const terms = { ...defaults }
  for (const name of Object.keys(defaults) as (keyof T & string)[]) {
    const value = given[name]
    if (value === undefined) continue
    requireTerm(`${path}.${name}`, value, least)
    terms[name] = value
  }
  return terms
}

function requireTerm(field: string, value: number | null, least: number): void {
  if (value === null || (Number.isInteger(value) && value >= least && value <= MOST)) return
  throw new TaskboardError(
    'INVALID_CONFIG',
    `${field} must be null or a whole number from ${least} to ${MOST}`,
    {
      field,
    },
  )
}

/** A misspelt name would leave something unlimited. */
function requireNames(path: string, given: object, known: object): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const field = `${path}.${unknown}`
  throw new TaskboardError('INVALID_CONFIG', `${field} is not an option`, { field })
}

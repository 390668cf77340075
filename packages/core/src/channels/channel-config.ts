import { isDeepStrictEqual } from 'node:util'
import type { SecretBox } from '../access/index.js'
import { isTaskboardError, pathText, shownName, TaskboardError } from '../errors/index.js'
import { plainJsonObject, type StoredChannel } from '../events/index.js'
import type { ConfigTools, NotificationType } from './notification-type.js'

/** Stands for a stored secret wherever a configuration is returned. A change that has it keeps the secret. */
export const MASK = '********'

/** Entries under this prefix among the secrets aren't a part of the configuration: they say which recipients have confirmed. */
export const confirmedPrefix = 'confirmed:'

type Config = Readonly<Record<string, unknown>>

/** A configuration as it is stored: its secrets apart, and sealed. */
export type SealedConfig = Pick<StoredChannel, 'config' | 'secrets'>

export interface ConfigDeps {
  readonly secrets: Pick<SecretBox, 'seal' | 'open'>
  readonly tools: ConfigTools
}

/** Checks the configuration of a new channel, and seals its secrets. @throws TaskboardError `INVALID_FIELD` (`config`). */
export function sealNewConfig(
  deps: ConfigDeps,
  type: NotificationType,
  workspaceId: string,
  given: Config,
): SealedConfig {
  const masked = type.secrets.find((member) => given[member] === MASK)
  if (masked !== undefined) throw invalid(`config.${masked}`, 'must be the secret itself')
  const config = parseConfig(deps, type, withoutNull(type, given))
  return sealConfig(deps, type, workspaceId, config)
}

/**
 * Checks the configuration of a channel after a change: `given` replaces all but the secrets that it doesn't name. Returns the new
 * public part, and the secrets that change: null removes one.
 * @throws TaskboardError `INVALID_FIELD` (`config`).
 */
export function sealChangedConfig(
  deps: ConfigDeps,
  type: NotificationType,
  stored: StoredChannel,
  given: Config,
): { readonly config: Config; readonly secrets: Readonly<Record<string, string | null>> } {
  const before = openConfig(deps.secrets, stored)
  const kept = type.secrets.filter((member) => {
    const secret = given[member]
    return secret === undefined || secret === MASK || isDeepStrictEqual(secret, before[member])
  })
  const keptMembers = Object.fromEntries(
    kept.filter((member) => Object.hasOwn(stored.secrets, member)).map((member) => [member, before[member]]),
  )
  const own = Object.entries(given).filter(([member]) => !kept.includes(member))
  const config = parseConfig(deps, type, withoutNull(type, { ...Object.fromEntries(own), ...keptMembers }))
  const sealed = sealConfig(deps, type, stored.workspaceId, config)
  const changed = type.secrets
    .filter((member) => !kept.includes(member))
    .map((member) => [member, sealed.secrets[member] ?? null])
  return { config: sealed.config, secrets: Object.fromEntries(changed) }
}

/** The configuration with its secrets. @throws TaskboardError `INTERNAL_ERROR` when one can't be opened. */
export function openConfig(
  secrets: Pick<SecretBox, 'open'>,
  { workspaceId, config, secrets: sealed }: Pick<StoredChannel, 'workspaceId' | 'config' | 'secrets'>,
): Config {
  const opened = ownSecrets(sealed).map(([member, text]) => [
    member,
    JSON.parse(secrets.open(text, secretContext(workspaceId, member))) as unknown,
  ])
  return { ...config, ...Object.fromEntries(opened) }
}

/** The configuration as it is shown: with a mask for each secret. */
export function maskedConfig({ config, secrets }: SealedConfig): Config {
  return { ...config, ...Object.fromEntries(ownSecrets(secrets).map(([member]) => [member, MASK])) }
}

function ownSecrets(
  secrets: StoredChannel['secrets'],
): readonly (readonly [member: string, sealed: string])[] {
  return Object.entries(secrets).filter(([member]) => !member.startsWith(confirmedPrefix))
}

/** The context that a secret of a channel is sealed with: in another workspace, or as another member, it doesn't open. */
export function secretContext(workspaceId: string, member: string): string {
  return `channel:${workspaceId}:${member}`
}

function sealConfig(
  { secrets }: ConfigDeps,
  type: NotificationType,
  workspaceId: string,
  config: Config,
): SealedConfig {
  const isSecret = ([member]: readonly [string, unknown]): boolean => type.secrets.includes(member)
  const members = Object.entries(config)
  const sealed = members
    .filter(isSecret)
    .map(([member, value]) => [
      member,
      secrets.seal(JSON.stringify(value), secretContext(workspaceId, member)),
    ])
  return {
    config: Object.fromEntries(members.filter((entry) => !isSecret(entry))),
    secrets: Object.fromEntries(sealed) as Readonly<Record<string, string>>,
  }
}

/** A secret that is null is none. */
function withoutNull(type: NotificationType, config: Config): Config {
  return Object.fromEntries(
    Object.entries(config).filter(([member, value]) => value !== null || !type.secrets.includes(member)),
  )
}

function parseConfig({ tools }: ConfigDeps, type: NotificationType, given: Config): Config {
  try {
    return plainJsonObject(type.parseConfig(plainJsonObject(given, 'config'), tools), 'config')
  } catch (error) {
    if (!isTaskboardError(error, 'INVALID_FIELD') && !isTaskboardError(error, 'MISSING_FIELD')) throw error
    const { field, message } = error
    if (field === undefined || field === 'config') throw error
    if (message.startsWith(field))
      throw new TaskboardError('INVALID_FIELD', `config.${message}`, { field: 'config' })
    throw invalid(pathText(['config', field]), `is rejected: ${message}`)
  }
}

function invalid(path: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${path} ${rule}`, { field: 'config' })
}

/** @throws TaskboardError `INVALID_FIELD` (`type`) with the types that there are. */
export function requireType(types: ReadonlyMap<string, NotificationType>, name: string): NotificationType {
  const type = types.get(name)
  if (type !== undefined) return type
  const known = [...types.keys()]
  const rule =
    known.length === 0
      ? 'cannot be used: the host has registered none'
      : `must be one of ${known.join(', ')}, not ${shownName(name)}`
  throw new TaskboardError('INVALID_FIELD', `type ${rule}`, { field: 'type' })
}

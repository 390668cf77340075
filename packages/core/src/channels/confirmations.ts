import { credentialDigest, type SecretBox } from '../access/index.js'
import { tracked, type AuditActor, type Environment } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { StoredChannel } from '../events/index.js'
import type { LimitStore } from '../limits/index.js'
import { confirmedPrefix, openConfig, secretContext } from './channel-config.js'
import type { ChannelStore } from './channel-store.js'
import type { NotificationType } from './notification-type.js'

/** Lets recipients agree, by a link, before notifications reach them. */
export interface Confirmations {
  /** Whether a registered type has recipients who confirm. */
  readonly areNeeded: boolean
  /** Whose link it is; null for one that is not valid or has expired. */
  show(token: string): string | null
  /** Takes the yes of a recipient. Null as `show`, and for one whom the channel does not name any more. */
  confirm(token: string, by: AuditActor): Promise<string | null>
}

interface ConfirmationsDeps<Tx> {
  readonly environment: Environment
  readonly store: ChannelStore<Tx>
  readonly limits: LimitStore
  readonly types: ReadonlyMap<string, NotificationType>
  readonly secrets: SecretBox
  /** The page of a token; null without `publicUrl`. */
  readonly confirmationLink: ((token: string) => string) | null
}

interface Asked {
  readonly workspaceId: string
  readonly channelId: string
  readonly recipient: string
  readonly expiresAt: number
}

const DAY_MS = 86_400_000
const LIFETIME_MS = 7 * DAY_MS
const CONTEXT = 'confirmation of a recipient'
/** Of one recipient, whoever asks, and of one workspace: a link goes to somebody who has not agreed to anything yet. */
const OF_RECIPIENT = { limit: 3, windowMs: DAY_MS }
const OF_WORKSPACE = { limit: 50, windowMs: DAY_MS }

const digestOf = (recipient: string): string => credentialDigest(recipient.toLowerCase())

/** Under this member of a channel's secrets its yes is kept, so that no user can write it. */
const memberOf = (recipient: string): string => confirmedPrefix + digestOf(recipient)

/** Whether a recipient has said yes to a channel. */
export function isConfirmed({ secrets }: Pick<StoredChannel, 'secrets'>, recipient: string): boolean {
  return Object.hasOwn(secrets, memberOf(recipient))
}

/** @throws TaskboardError `INVALID_CONFIG` (`publicUrl`) when recipients are to confirm, and there is no address for the links. */
export function createConfirmations<Tx>(deps: ConfirmationsDeps<Tx>): Confirmations & {
  /** Sends links to the recipients of a channel who have not confirmed, as often as the limits allow. Does not wait for that. */
  ask(channel: StoredChannel): void
} {
  const { environment, store, limits, types, secrets, confirmationLink: linkTo } = deps
  const { clock, logger } = environment
  const asking = [...types.values()].find(({ confirmation }) => confirmation !== undefined)
  if (asking !== undefined && linkTo === null) {
    const rule = `publicUrl is required, because recipients of the notification type ${asking.name} confirm by a link`
    throw new TaskboardError('INVALID_CONFIG', rule, { field: 'publicUrl' })
  }

  const recipientsOf = (channel: StoredChannel): readonly string[] =>
    types.get(channel.type)?.confirmation?.recipientsOf(openConfig(secrets, channel)) ?? []

  async function isFew(channel: StoredChannel, recipient: string): Promise<boolean> {
    for (const use of [
      { key: `confirmations:${channel.workspaceId}`, ...OF_WORKSPACE },
      { key: `confirmation:${channel.type}:${digestOf(recipient)}`, ...OF_RECIPIENT },
    ]) {
      if (!(await limits.take(use, environment.call())).allowed) return false
    }
    return true
  }

  async function askOne(channel: StoredChannel, recipient: string): Promise<void> {
    if (!(await isFew(channel, recipient))) return
    const { workspaceId, id: channelId } = channel
    const asked: Asked = { workspaceId, channelId, recipient, expiresAt: clock.now() + LIFETIME_MS }
    const token = secrets.seal(JSON.stringify(asked), CONTEXT)
    await types.get(channel.type)?.confirmation?.ask(recipient, linkTo?.(token) ?? '')
  }

  async function askAll(channel: StoredChannel): Promise<void> {
    for (const recipient of recipientsOf(channel)) {
      if (!isConfirmed(channel, recipient)) await askOne(channel, recipient)
    }
  }

  function open(token: string): Asked | null {
    try {
      const asked = JSON.parse(secrets.open(token, CONTEXT)) as Asked
      return asked.expiresAt > clock.now() ? asked : null
    } catch (error) {
      if (isTaskboardError(error, 'INTERNAL_ERROR')) return null
      throw error
    }
  }

  return {
    areNeeded: asking !== undefined,
    ask(channel) {
      tracked(clock, 'confirmations', () => askAll(channel)).catch((error: unknown) =>
        logger.warn({ err: error, channelId: channel.id }, 'a link to confirm a recipient could not be sent'),
      )
    },
    show: (token) => open(token)?.recipient ?? null,
    async confirm(token, by) {
      const asked = open(token)
      if (asked === null) return null
      const { workspaceId, channelId, recipient } = asked
      const [channel] = await store.listChannels({ within: workspaceId, channelId }, environment.call())
      if (channel === undefined || !recipientsOf(channel).includes(recipient)) return null
      if (isConfirmed(channel, recipient)) return recipient
      const member = memberOf(recipient)
      const yes = secrets.seal(JSON.stringify(true), secretContext(workspaceId, member))
      const change = { secrets: { [member]: yes } }
      await store.updateChannel({ workspaceId, channelId, change }, environment.call({ by }))
      return recipient
    },
  }
}

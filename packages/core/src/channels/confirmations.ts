import { type Account, credentialDigest, type SecretBox } from '../access/index.js'
import { tracked, type AuditActor, type Environment, type Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { StoredChannel } from '../events/index.js'
import { createRateLimiter, type LimitStore } from '../limits/index.js'
import { createAskLimits } from './ask-limits.js'
import { confirmedPrefix, openConfig, secretContext } from './channel-config.js'
import type { ChannelStore, StoredChannelChange } from './channel-store.js'
import type { NotificationType } from './notification-type.js'

/** Lets recipients agree, by a link, before notifications reach them. */
export interface Confirmations {
  /** Whether a registered type has recipients who confirm. */
  readonly areNeeded: boolean
  /** Whose link it is, and who asks; null for one that isn't valid or has expired. */
  show(token: string): Pick<Asked, 'recipient' | 'account'> | null
  /**
   * Takes the yes of a recipient. Null as `show`, and for one whom the channel doesn't name any more.
   * @throws TaskboardError `RATE_LIMITED` after ten of one recipient of a channel within a minute.
   */
  confirm(token: string, by: AuditActor): Promise<string | null>
}

/** Finds whose a workspace is; undefined when it is gone. */
export type FindAccount = (workspaceId: string) => Promise<Pick<Account, 'id' | 'name'> | undefined>

interface ConfirmationsDeps<Tx> {
  readonly environment: Environment
  readonly findAccount: FindAccount
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
  /** The name of the account, as it is shown. */
  readonly account: string
  readonly expiresAt: number
}

const DAY_MS = 86_400_000
const LIFETIME_MS = 7 * DAY_MS
const CONTEXT = 'confirmation of a recipient'
/** A yes reads the storage, and a valid link isn't a license to do that without limit. */
const YESES = { limit: 10, windowMs: 60_000, maxKeys: 10_000 }
const LONGEST_NAME = 50

const digestOf = (recipient: string): string => credentialDigest(recipient.toLowerCase())

/** Under this member of a channel's secrets its yes is kept, so that no user can write it. */
const memberOf = (recipient: string): string => confirmedPrefix + digestOf(recipient)

/** A user chose the name: what is left of it makes no link, no address and no second line. */
function shownName({ name, id }: Pick<Account, 'id' | 'name'>): string {
  const words = name.replaceAll(/[^\p{L}\p{M}\p{N}&'-]+/gu, ' ').trim()
  return Array.from(words).slice(0, LONGEST_NAME).join('').trim() || id
}

type Sealed = Pick<StoredChannel, 'workspaceId' | 'secrets'>

function yesOf(box: Pick<SecretBox, 'open'>, { workspaceId, secrets }: Sealed, member: string): Instant {
  return JSON.parse(box.open(secrets[member] ?? '', secretContext(workspaceId, member))) as Instant
}

const isYes = (member: string): boolean => member.startsWith(confirmedPrefix)

const isConfirmed = ({ secrets }: Sealed, recipient: string): boolean =>
  Object.hasOwn(secrets, memberOf(recipient))

/** When a recipient said yes to a channel; null before. */
export function confirmedAt(
  box: Pick<SecretBox, 'open'>,
  channel: Sealed,
  recipient: string,
): Instant | null {
  return isConfirmed(channel, recipient) ? yesOf(box, channel, memberOf(recipient)) : null
}

/** When the first of its present recipients said yes to a channel; null before. */
export function firstConfirmedAt(box: Pick<SecretBox, 'open'>, channel: Sealed): Instant | null {
  const yeses = Object.keys(channel.secrets).filter(isYes)
  return yeses.length === 0 ? null : Math.min(...yeses.map((member) => yesOf(box, channel, member)))
}

/** @throws TaskboardError `INVALID_CONFIG` (`publicUrl`) when recipients are to confirm, and there is no address for the links. */
export function createConfirmations<Tx>(deps: ConfirmationsDeps<Tx>): Confirmations & {
  /** Sends links to the recipients of a channel who haven't confirmed, as often as the limits allow. Doesn't wait for that. */
  ask(channel: StoredChannel): void
  /** The yeses that end with a change of a configuration, because it doesn't name their recipients any more. */
  ended(
    channel: StoredChannel,
    change: Pick<StoredChannelChange, 'config' | 'secrets'>,
  ): Readonly<Record<string, null>>
} {
  const { environment, findAccount, store, limits, types, secrets, confirmationLink: linkTo } = deps
  const { clock, logger } = environment
  const mayAsk = createAskLimits({ environment, limits })
  const yeses = createRateLimiter({ ...YESES, clock })
  const asking = [...types.values()].find(({ confirmation }) => confirmation !== undefined)
  if (asking !== undefined && linkTo === null) {
    const rule = `publicUrl is required, because recipients of the notification type ${asking.name} confirm by a link`
    throw new TaskboardError('INVALID_CONFIG', rule, { field: 'publicUrl' })
  }

  const recipientsOf = (channel: StoredChannel): readonly string[] =>
    types.get(channel.type)?.confirmation?.recipientsOf(openConfig(secrets, channel)) ?? []

  async function askOne(channel: StoredChannel, owner: Pick<Account, 'id' | 'name'>, recipient: string) {
    if (!(await mayAsk(channel.type, owner.id, recipient))) return
    const { workspaceId, id: channelId } = channel
    const account = shownName(owner)
    const asked: Asked = { workspaceId, channelId, recipient, account, expiresAt: clock.now() + LIFETIME_MS }
    const token = secrets.seal(JSON.stringify(asked), CONTEXT)
    await types.get(channel.type)?.confirmation?.ask(recipient, linkTo?.(token) ?? '', { account })
  }

  async function askAll(channel: StoredChannel): Promise<void> {
    const missing = recipientsOf(channel).filter((recipient) => !isConfirmed(channel, recipient))
    const owner = missing.length === 0 ? undefined : await findAccount(channel.workspaceId)
    if (owner === undefined) return
    for (const recipient of missing) await askOne(channel, owner, recipient)
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
    ended(channel, { config = channel.config, secrets: changed }) {
      const merged = Object.entries({ ...channel.secrets, ...changed })
      const kept = merged.filter((entry): entry is [string, string] => entry[1] !== null)
      const named = recipientsOf({ ...channel, config, secrets: Object.fromEntries(kept) }).map(memberOf)
      const ended = Object.keys(channel.secrets).filter((member) => isYes(member) && !named.includes(member))
      return Object.fromEntries(ended.map((member) => [member, null]))
    },
    show: open,
    async confirm(token, by) {
      const asked = open(token)
      if (asked === null) return null
      const { workspaceId, channelId, recipient } = asked
      const { allowed, retryAfterMs } = yeses.take(`${channelId} ${recipient}`)
      if (!allowed) throw new TaskboardError('RATE_LIMITED', 'a link was used too often', { retryAfterMs })
      const [channel] = await store.listChannels({ within: workspaceId, channelId }, environment.call())
      if (channel === undefined || !recipientsOf(channel).includes(recipient)) return null
      if (isConfirmed(channel, recipient)) return recipient
      const member = memberOf(recipient)
      const yes = secrets.seal(JSON.stringify(clock.now()), secretContext(workspaceId, member))
      const change = { secrets: { [member]: yes } }
      await store.updateChannel({ workspaceId, channelId, change }, environment.call({ by }))
      return recipient
    },
  }
}

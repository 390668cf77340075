import { TaskboardError } from '../errors/index.js'
import type { DirectChannel } from '../links/index.js'
import type { TaskboardEvent } from '../events/index.js'
import type { SendResult } from '../webhooks/index.js'

/** A notification for a channel that a user set up. */
export interface ChannelNotification {
  readonly workspaceId: string
  readonly channel: { readonly id: string; readonly name: string }
  /** A retry carries the same `event.id`. Of a test: a sample. */
  readonly event: TaskboardEvent
  /** The event in one line of plain text, at most 600 characters. Users wrote parts of it: escape it. */
  readonly text: string
  /** The page of its task in the dashboard; null for an event of no task, a test, or without `publicUrl`. */
  readonly url: string | null
  /** Whether a user asked for it to test the channel. */
  readonly isTest: boolean
}

/** What a type can use to check a configuration. */
export interface ConfigTools {
  /** Why deliveries can't go to a URL, by the rules for webhooks (`webhooks.allow`): `must use https`. Null when they can. */
  readonly refuseUrl: (url: string) => string | null
}

/** What a type can use to deliver. */
export interface DeliveryTools {
  /** Aborts when no one waits for the answer any more. */
  readonly signal: AbortSignal
  /**
   * Sends one HTTP POST as webhooks are sent: only to addresses that the endpoint guard accepts, without following a redirect. Never
   * rejects.
   */
  readonly post: (request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }) => Promise<SendResult>
  /**
   * The address that decides the event's request, as the person with this verified email address: for a message to that address alone.
   * Anyone who has it decides as the person. Null for other events and addresses, for a person who may not decide it, and when the lookup
   * fails: then use `url`.
   */
  readonly decisionLink: (recipient: string) => Promise<string | null>
  /** Whether a recipient has confirmed the channel by the link of `NotificationType.confirmation`. */
  readonly isConfirmed: (recipient: string) => boolean
}

/** How recipients confirm that they want the notifications of a channel. */
export interface ChannelConfirmation<Config extends object = object> {
  /** The recipients of a configuration who have to confirm. */
  recipientsOf(config: Config): readonly string[]
  /**
   * Sends the link of a page that asks the recipient, valid for seven days. Called when a channel has a new recipient. Until the recipient
   * has confirmed, it is called again with each change of its configuration and each test. It is called at most three times per day for one
   * recipient. `account` is the name of the account that asks, with nothing but letters, digits, spaces, `&`, `'` and `-`, at most 50
   * characters. Errors that it throws are logged.
   */
  ask(recipient: string, link: string, by: { readonly account: string }): Promise<void>
}

/** How a form asks for one member of a configuration. */
export interface ConfigField {
  /** What people read at the input: `URL of the webhook`. */
  readonly label: string
  /** What people should know before they type. */
  readonly hint?: string | undefined
  /** `list`: a list of texts, which people separate by line breaks, commas or semicolons. Default: `text`, in one line. */
  readonly kind?: 'text' | 'url' | 'list' | undefined
  /** Whether the member can be left out. Default: false. */
  readonly optional?: boolean | undefined
}

/**
 * A type of notification channel that users can set up, such as `slack`. The host registers it among the `notifications` of
 * `createTaskboard`. Errors that `deliver` throws are shown to the user as the channel's error, without the secrets of the configuration.
 */
export interface NotificationType<Config extends object = object> extends Partial<DirectChannel> {
  /** The `type` of a channel as users name it: 1 to 64 lower-case letters, digits, `_` and `-`. It is stored, so keep it. */
  readonly name: string
  /** What people read: `Microsoft Teams`. Default: the name. */
  readonly label?: string | undefined
  /** The members of the configuration that are secret: stored encrypted, and never returned, listed or logged. */
  readonly secrets: readonly string[]
  /** How a form asks for the configuration: its members, in the order of the form. Without them, people write JSON. */
  readonly fields?:
    | ({ readonly [Member in keyof Config]-?: ConfigField } & Readonly<Record<string, ConfigField>>)
    | undefined
  /**
   * Checks a configuration and returns it as it is to be stored: plain JSON. Called when a user creates a channel or changes the
   * configuration, then with the stored secrets that the change doesn't name.
   * @throws TaskboardError `INVALID_FIELD` with the member as `field` and a message that begins with it: `to must be an e-mail address`.
   */
  parseConfig(config: Readonly<Record<string, unknown>>, tools: ConfigTools): Config
  /** Whom to ask before anything is delivered. Requires `publicUrl`. `deliver` then asks `isConfirmed` and leaves the others out. */
  readonly confirmation?: ChannelConfirmation<Config> | undefined
  /**
   * Delivers one notification. Resolve when it was delivered. If you reject, or take longer than 30 s, it is delivered again later.
   * Notifications of one channel come in order, one after the other.
   */
  deliver(notification: ChannelNotification, config: Config, tools: DeliveryTools): Promise<void>
}

/** A registered type, as those see it who set up its channels. */
export interface ChannelType {
  /** The `type` of its channels. */
  readonly name: string
  readonly label: string
  readonly secrets: readonly string[]
  /** In the order of the form, each by its member of the configuration; null when people write JSON. */
  readonly fields:
    | readonly {
        readonly name: string
        readonly label: string
        readonly hint: string | null
        readonly kind: 'text' | 'url' | 'list'
        readonly optional: boolean
      }[]
    | null
}

/** What is shown of a type, with its defaults. */
export function describeType({ name, label = name, secrets, fields }: NotificationType): ChannelType {
  const shown = Object.entries<ConfigField>(fields ?? {}).map(
    ([member, { label: asked, hint = null, kind = 'text', optional = false }]) => ({
      name: member,
      label: asked,
      hint,
      kind,
      optional,
    }),
  )
  return { name, label, secrets: [...secrets], fields: fields === undefined ? null : shown }
}

const NAME = /^[a-z0-9_-]{1,64}$/

/** The types by name. @throws TaskboardError `INVALID_CONFIG` for an invalid or repeated name, and a secret that is none of the fields. */
export function typesByName(types: readonly NotificationType[]): ReadonlyMap<string, NotificationType> {
  const byName = new Map<string, NotificationType>()
  for (const type of types) {
    if (!NAME.test(type.name) || byName.has(type.name)) {
      throw new TaskboardError(
        'INVALID_CONFIG',
        'each notification type requires a distinct name of 1 to 64 of a-z, 0-9, _ and -',
        { field: 'notifications' },
      )
    }
    const unasked = type.secrets.find((member) => type.fields?.[member] === undefined)
    if (type.fields !== undefined && unasked !== undefined) {
      const rule = `the notification type ${type.name} has no field for its secret ${unasked}`
      throw new TaskboardError('INVALID_CONFIG', rule, { field: 'notifications' })
    }
    byName.set(type.name, type)
  }
  return byName
}

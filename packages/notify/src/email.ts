import { type ChannelNotification, type NotificationType, TaskboardError } from '@taskboard/core'
import { requireOptionNames } from '@taskboard/core/transport'
import { createTransport, type SendMailOptions, type TransportConfig } from 'nodemailer'
import { messageText, oneLine, refused } from './incoming-webhook.js'

/** What `email` needs of a transporter of nodemailer. */
export interface MailTransport {
  sendMail(message: SendMailOptions): Promise<unknown>
}

/** An address with the name of who has it. */
export interface MailAddress {
  readonly name: string
  readonly address: string
}

/** The options of `email`. */
export interface EmailOptions {
  /**
   * How mail is sent: an SMTP URL (`smtps://user:password@mail.example`), options of nodemailer, or a transporter that you made. It
   * is the host's: users don't see it.
   */
  readonly transport: string | TransportConfig | MailTransport
  /** The sender: an address, or a name and an address. */
  readonly from: string | MailAddress
  /**
   * Whether users may send notifications to an address, in lower case. Asked when a channel is set up, and before each mail. Only `true` is a
   * yes: a promise is none. Default with `confirm`: to every address.
   */
  readonly allowRecipient?: ((address: string) => boolean) | undefined
  /**
   * Whether each recipient gets a link first, and nothing else until it was confirmed on the page of the link. Requires `publicUrl` of
   * `createTaskboard`. Default: false, which requires `allowRecipient`.
   */
  readonly confirm?: boolean | undefined
}

/** The configuration of a channel of email. */
export interface EmailConfig {
  /** 1 to 20 addresses. */
  readonly to: readonly string[]
}

const MOST_RECIPIENTS = 20
const LONGEST_ADDRESS = 254
const YOURS_ALONE = 'Anyone who has this link decides as you, so do not pass it on:'
const NOT_ALLOWED = 'has an address that is not allowed here'
/** The form of a valid address in HTML: no spaces, quotes, comments or lists, so that one address stays one. */
const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/**
 * Channels of email, by nodemailer. A user sets one up with `type: 'email'` and `config: { to }`: an address, or a list of up to 20.
 * Mail is plain text, and a retry has the same `Message-ID`. User text is in its text only, never in its subject.
 * @throws TaskboardError `INVALID_CONFIG` naming the option that is missing or wrong. With neither `allowRecipient` nor `confirm`, users could
 * mail anyone from your domain.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { email } from '@taskboard/notify'
 *
 * const mail = email({
 *   transport: 'smtp://127.0.0.1:2525',
 *   from: 'Taskboard <board@acme.example>',
 *   allowRecipient: (address) => address.endsWith('@acme.example'),
 * })
 * const taskboard = createTaskboard({ storage: memoryStorage(), notifications: [mail] })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const channel = await taskboard.channels.create(workspace.id, {
 *   type: 'email',
 *   name: 'On call',
 *   config: { to: 'ops@acme.example' },
 *   events: ['task.failed', 'agent.alert'],
 * })
 * console.log(channel.config) // { to: [ 'ops@acme.example' ] }
 * ```
 */
export function email(options: EmailOptions): NotificationType<EmailConfig> {
  checkOptions(options)
  const { from, allowRecipient = () => true, confirm = false } = options
  // A promise of a yes, which plain JavaScript can return, is none.
  const isAllowed = (address: string): boolean => {
    const answer: unknown = allowRecipient(address.toLowerCase())
    return answer === true
  }
  const transport = transportOf(options.transport)
  const sendMail = async (mail: SendMailOptions): Promise<void> => {
    try {
      await transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
    } catch (error) {
      // Without the cause: it knows how the host reaches its mail server.
      // oxlint-disable-next-line preserve-caught-error
      throw new Error(faultOf(error))
    }
  }
  return {
    name: 'email',
    label: 'Email',
    secrets: [],
    fields: {
      to: { label: 'Recipients', hint: `One address per line, up to ${MOST_RECIPIENTS}`, kind: 'list' },
    },
    parseConfig: (config) => parseRecipients(config, isAllowed),
    confirmation: confirm
      ? {
          recipientsOf: ({ to }) => to,
          async ask(address, link, { account }) {
            if (isAllowed(address)) await sendMail(questionOf({ from, address, link, account }))
          },
        }
      : undefined,
    async direct({ person: { email: address }, text, url, expiresAt }) {
      if (address === null || !ADDRESS.test(address) || !isAllowed(address)) return false
      await sendMail(requestOf({ from, address, text, url, expiresAt }))
      return true
    },
    async deliver(notification, { to }, { isConfirmed, decisionLink }) {
      // The host may have changed its mind since the channel was set up.
      if (!to.every(isAllowed)) throw new Error(`config.to ${NOT_ALLOWED}`)
      const missing = confirm ? to.filter((address) => !isConfirmed(address)) : []
      const isForNobody = missing.length === to.length
      if (isForNobody || (notification.isTest && missing.length > 0))
        throw new Error(`not confirmed yet by ${missing.join(', ')}`)
      const confirmed = to.filter((address) => !missing.includes(address))
      const others: string[] = []
      for (const address of confirmed) {
        const url = await decisionLink(address)
        if (url === null) others.push(address)
        // It decides as this person: nobody else gets it.
        else await sendMail(messageOf({ ...notification, url }, from, [address], to.indexOf(address)))
      }
      if (others.length > 0) await sendMail(messageOf(notification, from, others))
    },
  }
}

function isSet(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null
}

/** Else each mail would fail, or go to a server on this machine. */
function checkOptions(options: EmailOptions): void {
  requireOptionNames<EmailOptions>(options, {
    transport: true,
    from: true,
    allowRecipient: true,
    confirm: true,
  })
  const { transport, from, allowRecipient, confirm } = options as {
    readonly [Name in keyof EmailOptions]?: unknown
  }
  const isFine = {
    transport: isSet(transport) || 'must be an SMTP URL, options of nodemailer, or a transporter',
    from: isSet(from) || 'must be the address of the sender, or { name, address }',
    confirm: confirm === undefined || typeof confirm === 'boolean' || 'must be true or false',
    allowRecipient:
      typeof allowRecipient === 'function' ||
      (allowRecipient === undefined && confirm === true) ||
      'must be a function that returns whether users may send to an address, unless recipients confirm',
  }
  for (const [field, rule] of Object.entries(isFine)) {
    if (rule !== true) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
  }
}

function transportOf(transport: EmailOptions['transport']): MailTransport {
  if (typeof transport !== 'string') {
    return 'sendMail' in transport
      ? transport
      : createTransport({ ...timeouts, ...transport } as TransportConfig)
  }
  return createTransport({ ...timeouts, url: transport } as TransportConfig)
}

function parseRecipients(
  config: Readonly<Record<string, unknown>>,
  isAllowed: (address: string) => boolean,
): EmailConfig {
  const { to, ...others } = config
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw refused(unknown, 'is not known: the configuration has to only')
  if (to === undefined || to === null) throw refused('to', 'is required')
  const listed: readonly unknown[] = Array.isArray(to) ? to : [to]
  if (listed.length === 0 || listed.length > MOST_RECIPIENTS) {
    throw refused('to', `must have 1 to ${MOST_RECIPIENTS} addresses`)
  }
  for (const address of listed) {
    const isAddress =
      typeof address === 'string' && address.length <= LONGEST_ADDRESS && ADDRESS.test(address)
    if (!isAddress) throw refused('to', 'must be an email address, or a list of them')
    if (!isAllowed(address)) throw refused('to', NOT_ALLOWED)
  }
  return { to: [...new Set(listed as readonly string[])] }
}

/** Addresses are passed as they are, so that nothing in them is parsed. */
function messageOf(
  notification: ChannelNotification,
  from: EmailOptions['from'],
  to: readonly string[],
  /** Of the recipient, for whom alone the link is. */
  place?: number,
): SendMailOptions {
  const { event, channel, url } = notification
  const text = oneLine(messageText(notification))
  const at = new Date(event.at).toISOString()
  const part = place === undefined ? '' : `.${place}`
  const warning = place === undefined ? '' : `${YOURS_ALONE}\n`
  return {
    from,
    to: to.map((address) => ({ name: '', address })),
    subject: subjectOf(notification),
    text: `${text}\n${warning}${url === null ? '' : `${url}\n`}\n${event.type}, ${at}\nNotification channel: ${oneLine(channel.name)}\n`,
    messageId: `<${event.id}.${channel.id}${part}@taskboard.invalid>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

interface Request {
  readonly from: EmailOptions['from']
  readonly address: string
  readonly text: string
  readonly url: string
  readonly expiresAt: number
}

/** The request to one person, with the link that decides as this person. */
function requestOf({ from, address, text, url, expiresAt }: Request): SendMailOptions {
  const until = new Date(expiresAt).toISOString()
  return {
    from,
    to: { name: '', address },
    subject: 'Taskboard: a decision is asked of you',
    text: `${oneLine(text)}\n${YOURS_ALONE}\n${url}\n\nIt expires at ${until}.\n`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

interface Question {
  readonly from: EmailOptions['from']
  readonly address: string
  readonly link: string
  readonly account: string
}

/** The one mail before a recipient has confirmed. It has no word of a user but the name of the account, without what makes a link. */
function questionOf({ from, address, link, account }: Question): SendMailOptions {
  return {
    from,
    to: { name: '', address },
    subject: 'Taskboard: confirm notifications to this address',
    text: `Someone of the account “${account}” on this task board wants to send notifications to this address. To get them, open this page within seven days and confirm:\n${link}\n\nIf you do not want them, do nothing.\n`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

/** Without a word that a user wrote: mail in the host's name is for no message of a stranger. */
function subjectOf({ event, isTest }: ChannelNotification): string {
  if (isTest) return 'Taskboard: test of a notification channel'
  const { taskId } = event.data as { readonly taskId?: unknown }
  const about = typeof taskId === 'string' ? ` (${taskId})` : ''
  return `Taskboard: ${event.type.replaceAll(/[._]/g, ' ')}${about}`
}

/** Why a mail wasn't sent, for the user: only the mail server's reply about the mail, nothing else about the server. */
function faultOf(error: unknown): string {
  const { code, responseCode, response } = error as Readonly<Record<string, unknown>>
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isAboutMail && typeof response === 'string') return `the mail server rejected the mail: ${response}`
  const shown = typeof code === 'string' ? ` (${code})` : ''
  const answered = typeof responseCode === 'number' ? ` with ${responseCode}` : ''
  return `the mail server could not be used${answered}${shown}`
}

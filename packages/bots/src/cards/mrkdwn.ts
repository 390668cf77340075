import { fitting } from './card-message.js'
import type { BotMessage, RichText, Span } from './rich-text.js'

/** Of the text of a section. */
const MOST_CHARACTERS = 3_000

const JOINER = '\u2060'

/** Slack's three control characters: without them nothing is a mention, a link or a command such as `<!channel>`. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Slack formats what stands between signs, quotes what follows one at the start of a line, and makes pictures of names between colons.
 * An invisible character that joins words, and takes no room, keeps it from that.
 */
export function inert(text: string): string {
  return text
    .replaceAll(/[*_~`:@#]/g, (sign) => `${JOINER}${sign}${JOINER}`)
    .replaceAll(/^(?=[>•-])/gm, JOINER)
    .replaceAll(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, `.${JOINER}`)
}

function toMrkdwn(span: Span): string {
  if (typeof span === 'string') return escaped(inert(span))
  if ('bold' in span) {
    // A line break would end the bold text.
    const oneLine = span.bold.replaceAll(/\s+/g, ' ').trim()
    return `*${escaped(inert(oneLine))}*`
  }
  if ('block' in span) return `\`\`\`\n${escaped(span.block.replaceAll('`', `\`${JOINER}`))}\n\`\`\``
  return `<${escaped(span.link).replaceAll('|', '%7C')}|${escaped(span.text)}>`
}

/** Text as mrkdwn of Slack. */
export const toSlackMrkdwn = (text: RichText): string =>
  text.map((line) => line.map(toMrkdwn).join('')).join('\n')

/** The same as plain text, for notifications. */
const toPlain = (text: RichText): string => {
  const [first = []] = text
  const [, second = []] = text
  return [...first, ' ', ...second]
    .map((span) => (typeof span === 'string' ? span : 'bold' in span ? span.bold : ''))
    .join('')
}

/** What `chat.postMessage` and `chat.update` take. */
export interface SlackMessage {
  /** What notifications show. */
  readonly text: string
  readonly blocks: readonly object[]
}

const STYLES = { good: 'primary', bad: 'danger', plain: undefined } as const

/** A message as blocks of Slack that fit. */
export function fittingBlocks(message: (budget: number) => BotMessage): SlackMessage {
  const { made, mrkdwn } = fitting(
    (budget) => {
      const one = message(budget)
      return { made: one, mrkdwn: toSlackMrkdwn(one.text) }
    },
    (rendered) => rendered.mrkdwn.length <= MOST_CHARACTERS,
  )
  // Without URLs that Slack finds by itself.
  const section = { type: 'section', text: { type: 'mrkdwn', text: mrkdwn, verbatim: true } }
  const elements = made.buttons.map(({ label, token, kind }) => ({
    type: 'button',
    text: { type: 'plain_text', text: label },
    value: token,
    action_id: `taskboard-${label.toLowerCase().replaceAll(/[^a-z]/g, '-')}`,
    ...(STYLES[kind] === undefined ? {} : { style: STYLES[kind] }),
  }))
  const actions = elements.length === 0 ? [] : [{ type: 'actions', elements }]
  return { text: escaped(inert(toPlain(made.text))).slice(0, 300), blocks: [section, ...actions] }
}

/** A message from Slack as its author wrote it: Slack's markup for people, channels and links becomes text. */
export function fromSlack(text: string): string {
  return text
    .replaceAll(/<([^<>]*)>/g, (_, inside: string) => plainOf(inside))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function plainOf(inside: string): string {
  const [target = '', label] = inside.split('|')
  if (target.startsWith('@')) return label === undefined ? target : `@${label}`
  if (target.startsWith('#')) return `#${label ?? target.slice(1)}`
  if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0] ?? ''}`
  // Of an address without a scheme, Slack makes a link with one.
  return label !== undefined && target.endsWith(label) ? label : target
}

import { fitting } from './card-message.js'
import type { BotMessage, RichText, Span } from './rich-text.js'

/** After parsing, as Telegram counts them. */
const MOST_CHARACTERS = 4_096

const JOINER = '\u2060'

/** The characters of HTML. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Telegram makes mentions, commands, tags, addresses and numbers of plain text. An invisible character that joins words, and takes no
 * room, keeps it from that.
 */
export function inert(text: string): string {
  return text
    .replaceAll(/[@#$/+](?=[\p{L}\p{N}_])/gu, (sign) => sign + JOINER)
    .replaceAll(/:(?=\/\/)/g, `:${JOINER}`)
    .replaceAll(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, `.${JOINER}`)
    .replaceAll(/(?<=\d[\d\s()-]{2,20})(?=\d)/g, JOINER)
}

function toHtml(span: Span): string {
  if (typeof span === 'string') return escaped(inert(span))
  if ('bold' in span) return `<b>${escaped(inert(span.bold))}</b>`
  if ('block' in span) return `<pre>${escaped(span.block)}</pre>`
  return `<a href="${escaped(span.link)}">${escaped(span.text)}</a>`
}

/** Text as HTML of Telegram. */
export const toTelegramHtml = (text: RichText): string =>
  text.map((line) => line.map(toHtml).join('')).join('\n')

/** How many characters Telegram counts. */
const lengthOf = (html: string): number =>
  html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(amp|lt|gt|quot);/g, '.').length

/** A message as HTML that fits. */
export function fittingHtml(message: (budget: number) => BotMessage): {
  readonly html: string
  readonly message: BotMessage
} {
  return fitting(
    (budget) => {
      const made = message(budget)
      return { html: toTelegramHtml(made.text), message: made }
    },
    ({ html }) => lengthOf(html) <= MOST_CHARACTERS,
  )
}

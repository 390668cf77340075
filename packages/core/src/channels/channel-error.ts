import { MASK } from './channel-config.js'

const LONGEST_ERROR = 300
/** Shorter texts would hide parts of ordinary words. */
const SHORTEST_SECRET = 4
const SHORTEST_PART = 8

/**
 * Why a delivery failed, in one line of at most 300 characters for the user: the message of what was thrown, without anything of the
 * secrets.
 */
export function channelError(thrown: unknown, secrets: readonly unknown[]): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  let text = message.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ').trim()
  for (const secret of secretTexts(secrets)) text = text.replaceAll(secret, MASK)
  const characters = Array.from(text.toWellFormed() || 'the delivery failed')
  if (characters.length <= LONGEST_ERROR) return characters.join('')
  return `${characters.slice(0, LONGEST_ERROR - 1).join('')}…`
}

/** The secrets and the parts that reveal them, the longest first: of a URL its path, also as other encodings write it. */
function secretTexts(secrets: readonly unknown[]): readonly string[] {
  const texts = secrets.flatMap(textsIn).flatMap((text) => {
    const parts = text.split(/[/?&=#@:\s]+/).filter((part) => part.length >= SHORTEST_PART)
    return [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), ...tailOf(text), ...parts]
  })
  return [...new Set(texts)]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
}

function tailOf(text: string): readonly string[] {
  if (!URL.canParse(text)) return []
  const { href, pathname, search } = new URL(text)
  return [href, pathname + search, pathname]
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

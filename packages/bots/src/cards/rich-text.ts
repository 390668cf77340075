/** A piece of a line. Plain text is what people and agents wrote, or ours: it is shown as it is. */
export type Span =
  | string
  | { readonly bold: string }
  | { readonly link: string; readonly text: string }
  /** On separate lines, in a fixed-width font. */
  | { readonly block: string }

/** What a bot says: lines of pieces. */
export type RichText = readonly (readonly Span[])[]

/** A button of a message. */
export interface Button {
  readonly label: string
  readonly token: string
  readonly kind: 'good' | 'bad' | 'plain'
}

/** A message before it is rendered for a messenger. */
export interface BotMessage {
  readonly text: RichText
  readonly buttons: readonly Button[]
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** At most so many UTF-16 units of a text, cut between characters as people see them, so that no emoji is cut in two. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, most + 64))) {
    if (index + segment.length > most - 1) break
    end = index + segment.length
  }
  // Without an open mark of direction, which would turn what follows.
  return `${text.slice(0, end)}…`
}

/** Characters that change the direction of the text after them, and characters that stop such a change. */
const TURNS = /[\u202A\u202B\u202D\u202E\u2066-\u2068]/g
const ENDS_OLD = /\u202C/g
const ENDS_ISOLATE = /\u2069/g

/** Text whose direction ends with it: what it turns, it turns back. */
export function isolated(text: string): string {
  const turned = (text.match(TURNS) ?? []).length
  if (turned === 0) return text
  const old = (text.match(/[\u202A\u202B\u202D\u202E]/g) ?? []).length - (text.match(ENDS_OLD) ?? []).length
  const isolates = (text.match(/[\u2066-\u2068]/g) ?? []).length - (text.match(ENDS_ISOLATE) ?? []).length
  return text + '\u202C'.repeat(Math.max(0, old)) + '\u2069'.repeat(Math.max(0, isolates))
}

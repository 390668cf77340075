/** So much of an input is in events, and with them in webhooks and on the realtime channel. */
export const mostEventInputBytes = 4_096

/** The input of an action as events show it. */
export interface ShownInput {
  /** Its SHA-256, in hexadecimal, by its canonical JSON. */
  readonly inputDigest: string
  /** How long its JSON text is, in bytes of UTF-8. */
  readonly inputBytes: number
  /** Its JSON text, of which no more than the first 4 KiB are kept. */
  readonly inputText: string
}

/** What an event keeps of an input that JSON can hold. */
export function shownInput(input: unknown, inputDigest: string): ShownInput {
  const text = JSON.stringify(input)
  const bytes = new TextEncoder().encode(text)
  const inputText =
    bytes.length <= mostEventInputBytes
      ? text
      : // Without the character that the cut goes through.
        new TextDecoder().decode(bytes.subarray(0, mostEventInputBytes), { stream: true })
  return { inputDigest, inputBytes: bytes.length, inputText }
}

/** The input of an event, or null when it is too large to be in it whole. */
export function inputOf({ inputBytes, inputText }: ShownInput): unknown {
  return inputBytes <= mostEventInputBytes ? JSON.parse(inputText) : null
}

/**
 * The first 12 digits of a digest in groups of four, such as `3f2a-91bc-0d4e`: short enough to compare by eye. Every surface shows it
 * next to the input.
 * @example
 * ```ts
 * import { shortDigest } from '@taskboard/core'
 *
 * console.log(shortDigest('3f2a91bc0d4e' + '0'.repeat(52))) // 3f2a-91bc-0d4e
 * ```
 */
export function shortDigest(inputDigest: string): string {
  return [0, 4, 8].map((from) => inputDigest.slice(from, from + 4)).join('-')
}

/** Characters that are invisible, look like a plain space, or change the direction. */
const UNSEEN = /(?![ \t\n\r])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text of others in a line for people. Invisible characters are escaped, so that two texts that differ look different. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => character.split('').map(escapedUnit).join(''))
}

/** The same, of which at most `most` characters are left. */
export function start(text: string, most: number): string {
  const characters = Array.from(visible(text))
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}

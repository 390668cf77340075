/**
 * `text` in a form that every storage can keep: cut off after `mostLength` UTF-16 units, with U+FFFD for NUL and halves of surrogate
 * pairs.
 */
export function storedText(text: string, mostLength: number): string {
  const cut = text.length > mostLength ? withoutHalfPair(text.slice(0, mostLength)) : text
  return cut.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** The reason of a failed attempt: the message of the thrown error, without its stack. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    const texts: unknown[] = thrown instanceof Error ? [thrown.message, thrown.name] : [thrown]
    const text = texts.find((each) => typeof each === 'string' && each !== '')
    if (text !== undefined) return text as string
  } catch {
    // Reading a thrown value may throw.
  }
  return 'the agent threw something that is not an error'
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

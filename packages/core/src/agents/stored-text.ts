/**
 * `text` as every storage can keep it, at most `mostLength` UTF-16 units long: what is beyond that is cut off, NUL and halves
 * of surrogate pairs become U+FFFD.
 */
export function storedText(text: string, mostLength: number): string {
  const cut = text.length > mostLength ? withoutHalfPair(text.slice(0, mostLength)) : text
  return cut.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** The reason of a failed attempt: what the agent threw says of itself, without its stack. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    const texts: unknown[] = thrown instanceof Error ? [thrown.message, thrown.name] : [thrown]
    const text = texts.find((each) => typeof each === 'string' && each !== '')
    if (text !== undefined) return text as string
  } catch {
    // Looking at what was thrown may throw.
  }
  return 'the agent threw something that is not an error'
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

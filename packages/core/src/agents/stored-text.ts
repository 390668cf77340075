/**
 * `text` as every storage can keep it, at most `mostLength` UTF-16 units long: what is beyond that is cut off, NUL and halves
 * of surrogate pairs become U+FFFD.
 */
export function storedText(text: string, mostLength: number): string {
  const cut = text.length > mostLength ? withoutHalfPair(text.slice(0, mostLength)) : text
  return cut.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** What a log line, or the reason of a failed attempt, says of something that an agent threw. Never its stack, and never throws. */
export function thrownText(thrown: unknown): string {
  return firstText(thrown, ['message', 'name']) ?? 'the agent threw something that is not an error'
}

/** The stack of something that an agent threw; null when it has none. */
export function thrownStack(thrown: unknown): string | null {
  return typeof thrown === 'object' ? firstText(thrown, ['stack']) : null
}

/** `thrown` itself when it is text, else the first of an error's properties that is. Looking at what was thrown may throw. */
function firstText(thrown: unknown, names: readonly ('message' | 'name' | 'stack')[]): string | null {
  try {
    const texts: unknown[] = thrown instanceof Error ? names.map((name) => thrown[name]) : [thrown]
    return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null
  } catch {
    return null
  }
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

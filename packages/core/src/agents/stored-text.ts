/**
 * `text` as every storage can keep it, at most `mostLength` UTF-16 units long: what is beyond that is cut off, NUL and halves
 * of surrogate pairs become U+FFFD.
 */
export function storedText(text: string, mostLength: number): string {
  const cut = text.length > mostLength ? withoutHalfPair(text.slice(0, mostLength)) : text
  return cut.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** What a log line, or the reason of a failed attempt, says of something that an agent threw. Never its stack. */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message
  return typeof thrown === 'string' && thrown !== ''
    ? thrown
    : 'the agent threw something that is not an error'
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

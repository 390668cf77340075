/** What a log line says of something that host code threw, whatever that was. Never throws. */
export function errorText(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`
  } catch {
    // Its name or message is nothing that makes text.
    return 'an Error without text'
  }
  return typeof error === 'string' ? error : 'something that is not an Error'
}

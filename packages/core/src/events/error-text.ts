/** What a log line says of something that host code threw, whatever that was. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  return typeof error === 'string' ? error : 'something that is not an Error'
}

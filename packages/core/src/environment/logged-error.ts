const MOST_CAUSES = 8
const MOST_ERRORS = 8

/**
 * A thrown value for a log line. Of an Error it keeps the class, name, code, message, stack and causes, and no other property.
 * Libraries attach statement parameters and request headers, with their secrets, to errors, and loggers write out every property.
 * Never throws.
 */
export function loggedError(thrown: unknown): Error {
  return withoutOthers(thrown, MOST_CAUSES)
}

function withoutOthers(thrown: unknown, causesLeft: number): Error {
  try {
    if (!(thrown instanceof Error)) {
      return stackless(typeof thrown === 'string' ? thrown : 'something that is not an Error was thrown')
    }
    const { message, stack, name, code, cause } = thrown as unknown as Readonly<Record<string, unknown>>
    const logged = copyOf(thrown, String(message), causesLeft)
    if (cause !== undefined && causesLeft > 0) hide(logged, 'cause', withoutOthers(cause, causesLeft - 1))
    hide(logged, 'stack', typeof stack === 'string' ? stack : `${String(name)}: ${logged.message}`)
    if (name !== logged.name) hide(logged, 'name', String(name))
    if (typeof code === 'string' || typeof code === 'number') Object.assign(logged, { code })
    return logged
  } catch {
    return stackless('an Error that cannot be read was thrown')
  }
}

/** Of the same class; an AggregateError keeps its errors. */
function copyOf(thrown: Error, message: string, causesLeft: number): Error {
  const copy =
    thrown instanceof AggregateError && causesLeft > 0
      ? new AggregateError(
          thrown.errors.slice(0, MOST_ERRORS).map((each) => withoutOthers(each, causesLeft - 1)),
          message,
        )
      : new Error(message)
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(thrown) as object) as Error
}

/** An error without a stack frame: the stack of this function would mislead. */
function stackless(message: string): Error {
  const error = new Error(message)
  error.stack = `Error: ${message}`
  return error
}

/** Not enumerable, as JavaScript itself defines these properties of errors. */
function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false })
}

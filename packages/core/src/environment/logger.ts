import { loggedError } from './logged-error.js'

/**
 * Where the library says what happened in the background. Five methods that a pino logger has as it stands. An error is in the
 * field `err`, with its stack and its causes. No message and no field of the library's own ever holds a key, a secret or a token.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
}

const nothing = (): void => undefined

/** Says nothing, as `logger: false` does. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

/* oxlint-disable no-console */
/** Writes warnings and errors to the console: the default, so that what fails in the background does not go unseen. */
export const consoleLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: (fields, message) => console.warn(...consoleLine(fields, message)),
  error: (fields, message) => console.error(...consoleLine(fields, message)),
  fatal: (fields, message) => console.error(...consoleLine(fields, message)),
}
/* oxlint-enable no-console */

/** The error is an argument of its own: the console writes out the stack and causes of those, and cuts off what is inside others. */
function consoleLine(fields: object & { readonly err?: unknown }, message: string): readonly unknown[] {
  const { err, ...others } = fields
  const line: unknown[] = [`[taskboard] ${message}`]
  if (Object.keys(others).length > 0) line.push(others)
  if (err !== undefined) line.push(err)
  return line
}

/**
 * The logger that a host chose. What it throws is dropped, so that no loop and no run ends by what it says; of errors it gets what
 * `loggedError` leaves.
 */
export function loggerOf(chosen: Logger | false = consoleLogger): Logger {
  if (chosen === false || chosen === silentLogger) return silentLogger
  const guarded =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        chosen[level]('err' in fields ? { ...fields, err: loggedError(fields.err) } : fields, message)
      } catch {
        // There is nobody left to tell.
      }
    }
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
    fatal: guarded('fatal'),
  }
}

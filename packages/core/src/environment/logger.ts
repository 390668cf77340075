import { loggedError } from './logged-error.js'

/**
 * Where the library reports what happens in the background. A pino logger has these five methods. An error is in the field `err`, with
 * its stack and its causes. No message and no field of the library's own ever contains a key, a secret or a token.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
}

const nothing = (): void => undefined

/** Writes nothing, like `logger: false`. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

/* oxlint-disable no-console */
/** Writes warnings and errors to the console. The default, so that failures in the background are visible. */
export const consoleLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: (fields, message) => console.warn(...consoleLine(fields, message)),
  error: (fields, message) => console.error(...consoleLine(fields, message)),
  fatal: (fields, message) => console.error(...consoleLine(fields, message)),
}
/* oxlint-enable no-console */

/** Passes the error as a separate argument: the console then writes its stack and causes, which it cuts off inside other values. */
function consoleLine(fields: object & { readonly err?: unknown }, message: string): readonly unknown[] {
  const { err, ...others } = fields
  const line: unknown[] = [`[taskboard] ${message}`]
  if (Object.keys(others).length > 0) line.push(others)
  if (err !== undefined) line.push(err)
  return line
}

/**
 * The host's logger. Errors that it throws are ignored, so that they stop no loop and no run. Errors reach it as `loggedError` returns them.
 */
export function loggerOf(chosen: Logger | false = consoleLogger): Logger {
  if (chosen === false || chosen === silentLogger) return silentLogger
  const guarded =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        chosen[level]('err' in fields ? { ...fields, err: loggedError(fields.err) } : fields, message)
      } catch {
        // There is nowhere left to report this.
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

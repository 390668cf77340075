/**
 * Where the library says what happened in the background. Five methods that a pino logger has as it stands. No message
 * and no field ever holds a key, a secret or a token.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
}

const nothing = (): void => undefined

/** Says nothing: the default, because a library does not write to its host's output. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

/** The host's logger without its faults: what it throws is dropped, so that no loop and no run ends by what it says. */
export function harmlessLogger(logger: Logger): Logger {
  const guarded =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        logger[level](fields, message)
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

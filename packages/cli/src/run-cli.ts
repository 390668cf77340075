import { TaskboardApiError, TaskboardRealtimeError } from '@taskboard/client'
import manifest from '../package.json' with { type: 'json' }
import { CliError, withoutSecrets } from './cli-error.js'
import type { CliHost } from './cli.js'
import { exitCodes, type Ending } from './exit-codes.js'
import { plain, plainJson } from './output/text.js'
import { createProgram, isPrinted, usageFaultOf } from './program.js'

/** Runs with the streams, the environment and the signals of this process. */
export const processHost: CliHost = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt(listener) {
    const names = ['SIGINT', 'SIGTERM'] as const
    for (const name of names) process.on(name, listener)
    return () => {
      for (const name of names) process.off(name, listener)
    }
  },
}

/**
 * Runs one command, and resolves to its exit code. It never rejects: faults are printed to standard error, with `--json` as JSON.
 * @example
 * ```ts
 * import { runCli } from '@taskboard/cli'
 *
 * const code = await runCli(['list', '--column', 'nowhere'])
 * console.log(code) // 2
 * ```
 */
export async function runCli(args: readonly string[], host: CliHost = processHost): Promise<number> {
  const isJson = args.includes('--json')
  try {
    await createProgram(host, { version: manifest.version, isJson }).parseAsync([...args], { from: 'user' })
    return exitCodes.ok.code
  } catch (error) {
    if (isPrinted(error) && error.exitCode === 0) return exitCodes.ok.code
    if (isPrinted(error) && !isJson) return exitCodes.usage.code
    const { code } = exitCodes[isPrinted(error) ? 'usage' : endingOf(error)]
    host.stderr.write(`${isJson ? faultJson(error, code) : `error: ${messageOf(error)}`}\n`)
    return code
  }
}

function messageOf(error: unknown): string {
  if (isPrinted(error)) return withoutSecrets(plain(usageFaultOf(error)))
  const { message, name, cause } = Object(error) as Partial<Error>
  const text = withoutSecrets(plain(message || name || String(error))) + helpFor(error)
  if (error instanceof CliError || cause === undefined || !(error instanceof Error)) return text
  const reason = deepestReason(cause)
  return reason === undefined || reason === '' || text.includes(reason)
    ? text
    : `${text} (${withoutSecrets(plain(reason))})`
}

/** A key expires after some days. A wrong password has another message. */
function helpFor(error: unknown): string {
  const isOfKey =
    error instanceof TaskboardApiError &&
    error.status === 401 &&
    error.message.includes('the credential is not valid')
  return isOfKey ? ': run `taskboard login`, or set another TASKBOARD_KEY' : ''
}

/** What `fetch` and drivers wrap says more than they do. */
function deepestReason(error: unknown): string | undefined {
  const { cause, message } = Object(error) as Partial<Error>
  return (cause === undefined ? undefined : deepestReason(cause)) || message
}

function faultJson(error: unknown, exitCode: number): string {
  const { code, field, requestId } = Object(error) as Partial<TaskboardApiError>
  return plainJson({
    error: {
      code: isPrinted(error) || typeof code !== 'string' ? null : code,
      message: messageOf(error),
      field: field ?? null,
      request_id: requestId ?? null,
      exit_code: exitCode,
    },
  })
}

/** The ending that an error means. */
function endingOf(error: unknown): Ending {
  if (error instanceof CliError) return error.ending
  // It is also a TaskboardApiError.
  if (error instanceof TaskboardRealtimeError) return realtimeEndings[error.code] ?? 'failed'
  if (error instanceof TaskboardApiError) return endingOfStatus(error.status, error.code)
  const { code } = Object(error) as { readonly code?: unknown }
  return typeof code === 'string' ? (libraryEndings[code] ?? 'failed') : 'failed'
}

function endingOfStatus(status: number, code: string): Ending {
  if (status === 0 || status >= 500 || code === 'INVALID_ANSWER') return 'unavailable'
  return statusEndings[status] ?? 'invalid'
}

const statusEndings: Readonly<Record<number, Ending>> = {
  401: 'refused',
  403: 'refused',
  404: 'unknown',
  409: 'conflict',
  429: 'limited',
}

const realtimeEndings: Readonly<Record<string, Ending>> = {
  AUTHENTICATION_FAILED: 'refused',
  AUTHORIZATION_FAILED: 'refused',
  RESOURCE_NOT_FOUND: 'unknown',
  RATE_LIMIT_EXCEEDED: 'limited',
  CLOSED: 'unavailable',
}

/** Codes of `@taskboard/core`, which database commands throw. */
const libraryEndings: Readonly<Record<string, Ending>> = {
  INVALID_CONFIG: 'conflict',
  CONFLICT: 'conflict',
  NOT_FOUND: 'unknown',
  INVALID_FIELD: 'invalid',
  MISSING_FIELD: 'invalid',
  SERVICE_UNAVAILABLE: 'unavailable',
  ENOENT: 'unknown',
}

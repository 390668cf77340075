import type { TaskboardApiError } from '@taskboard/client'
import manifest from '../package.json' with { type: 'json' }
import { CliError, withoutSecrets } from './cli-error.js'
import type { CliHost } from './cli.js'
import { endingOf } from './ending-of.js'
import { exitCodes } from './exit-codes.js'
import { plain } from './output/text.js'
import { createProgram, isPrinted } from './program.js'

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
  try {
    await createProgram(host, manifest.version).parseAsync([...args], { from: 'user' })
    return exitCodes.ok.code
  } catch (error) {
    if (isPrinted(error)) return error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code
    const { code } = exitCodes[endingOf(error)]
    host.stderr.write(`${args.includes('--json') ? faultJson(error, code) : `error: ${messageOf(error)}`}\n`)
    return code
  }
}

function messageOf(error: unknown): string {
  const { message, name, cause } = Object(error) as Partial<Error>
  const text = withoutSecrets(plain(message || name || String(error)))
  if (error instanceof CliError || cause === undefined || !(error instanceof Error)) return text
  const { message: reason } = Object(cause) as Partial<Error>
  return reason === undefined || reason === '' || text.includes(reason)
    ? text
    : `${text} (${withoutSecrets(plain(reason))})`
}

function faultJson(error: unknown, exitCode: number): string {
  const { code, field, requestId } = Object(error) as Partial<TaskboardApiError>
  return JSON.stringify({
    error: {
      code: typeof code === 'string' ? code : null,
      message: messageOf(error),
      field: field ?? null,
      request_id: requestId ?? null,
      exit_code: exitCode,
    },
  })
}

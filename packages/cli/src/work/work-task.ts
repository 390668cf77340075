import { type ClaimedTask, type TaskContext, TaskFailure } from '@taskboard/client'
import { type Report, parseReport } from './progress-line.js'
import { createReports } from './reports.js'
import { type ProgramEnd, runProgram } from './run-program.js'

/** What exit codes of the program mean. All others, and ends by a signal, are failed attempts that are retried. */
export const programCodes = { done: 0, failed: 65 } as const

export interface WorkOptions {
  readonly command: string
  readonly graceMs: number
  readonly env: NodeJS.ProcessEnv
  readonly note: (text: string) => void
  readonly onError: (chunk: Buffer) => void
}

/** Secrets of the worker, which the program doesn't need. */
const secretVariables = ['TASKBOARD_KEY', 'DATABASE_URL', 'TASKBOARD_ENCRYPTION_KEYS']

/** One attempt: what it returns is the result of the task. */
export async function workTask(
  task: ClaimedTask,
  context: TaskContext,
  options: WorkOptions,
): Promise<string> {
  const { command, graceMs, note, onError } = options
  const { signal, claim } = context
  const { fencingToken, attempt, answer, comments, dependencies, earlierAttempts } = claim
  const reports = createReports<Report>({
    send: (read) => report(read, context),
    replaces: (later, earlier) => later.kind === 'progress' && earlier.kind === 'progress',
    onFault: (error) => {
      if (!signal.aborted) note(`${task.id}: the server rejected a report: ${(error as Error).message}`)
    },
    signal,
  })
  const end = await runProgram({
    command,
    input: `${JSON.stringify({ ...task, attempt, answer, comments, dependencies, earlier_attempts: earlierAttempts })}\n`,
    env: {
      ...options.env,
      ...Object.fromEntries(secretVariables.map((name) => [name, undefined])),
      TASKBOARD_TASK_ID: task.id,
      TASKBOARD_ATTEMPT: String(attempt),
      TASKBOARD_FENCING_TOKEN: String(fencingToken),
    },
    signal,
    graceMs,
    async onReport(line) {
      const read = parseReport(line)
      if (read !== null) await reports.add(read)
    },
    onError,
  })
  await reports.sent()
  signal.throwIfAborted()
  return resultOf(end)
}

function resultOf({ code, signal, stdout, isCut, lastError }: ProgramEnd): string {
  const reason =
    lastError ?? (code === null ? `the program was stopped by ${signal}` : `the program exited with ${code}`)
  if (code === programCodes.failed) throw new TaskFailure(reason)
  if (code !== programCodes.done) throw new Error(reason)
  if (isCut) throw new TaskFailure('the result is longer than 1 MiB')
  return stdout.replace(/\r?\n$/, '')
}

async function report(read: Report, context: TaskContext): Promise<void> {
  switch (read.kind) {
    case 'progress':
      return context.progress(read.percent)
    case 'log':
      return context.log(read.message, read.level)
    case 'output':
      return context.output(read.output)
    case 'usage':
      return context.usage(read.usage)
    case 'ask':
      return context.ask(read.question)
  }
}

import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { oneLine } from '../output/text.js'
import { workTask } from '../work/work-task.js'
import { agentIdOf } from './agent-id.js'

const SECOND_MS = 1_000

function secondsOf({ options }: Call, name: string, absent: number, least: number): number {
  const text = textOf(options, name)
  if (text === undefined) return absent * SECOND_MS
  if (/^\d{1,5}$/.test(text) && Number(text) >= least) return Number(text) * SECOND_MS
  throw new CliError('usage', `--${name} must be a whole number of seconds from ${least}`)
}

async function work(call: Call): Promise<void> {
  const { cli, options } = call
  const leaseMs = secondsOf(call, 'lease', 60, 1)
  const graceMs = secondsOf(call, 'grace', 5, 0)
  const drainMs = secondsOf(call, 'drain', 30, 0)
  const concurrency = Number(textOf(options, 'concurrency') ?? 1)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 100) {
    throw new CliError('usage', '--concurrency must be a whole number from 1 to 100')
  }
  const client = await cli.agentClient()
  const agentId = await agentIdOf(client, textOf(options, 'agent') ?? '')
  const stopping = new AbortController()
  let last: string | undefined
  const note = (text: string): void => cli.output.note(text)
  const worker = client.worker({
    agentId,
    concurrency: options['once'] === true ? 1 : concurrency,
    leaseMs,
    onError: (error, taskId) => note(`${taskId ?? agentId}: ${(error as Error).message}`),
    run(task, context) {
      note(`${task.id}: attempt ${context.claim.attempt}`)
      return workTask(task, context, {
        command: textOf(options, 'exec') ?? '',
        graceMs,
        env: process.env,
        note,
        onError: (chunk) => void process.stderr.write(chunk),
      })
    },
    onOutcome({ taskId, outcome, reason }) {
      last = outcome
      if (outcome === 'ended') note(`${taskId}: ${reason ?? 'the run stopped'}`)
      else {
        const shown = reason === null ? '' : `  ${oneLine(reason)}`
        const result = { task_id: taskId, outcome, ...(reason === null ? {} : { reason }) }
        cli.output.result(result, `${taskId}  ${outcome}${shown}`)
      }
      if (options['once'] === true) stopping.abort()
    },
  })
  stopping.signal.addEventListener('abort', () => void worker.stop({ drainTimeoutMs: drainMs }))
  // The programs end with this process, and the leases give their tasks back.
  const interrupted = cli.interrupted(() => process.exit(exitCodes.interrupted.code))
  interrupted.addEventListener('abort', () => {
    note('stopping as soon as the programs exit; a second signal stops them immediately')
    stopping.abort()
  })
  await worker.done
  if (options['once'] === true && (last === 'retry' || last === 'failed'))
    throw new CliError('failed', 'the attempt failed')
}

export const workCommand: Command = {
  name: 'work',
  summary:
    "Run an agent's tasks with a program that gets the task on standard input and reports on descriptor 3",
  options: [
    { flags: '--agent <agent>', summary: 'the id of the agent, or its name', isRequired: true },
    {
      flags: '--exec <command>',
      summary: 'a shell command to run for each attempt',
      isRequired: true,
    },
    {
      flags: '--concurrency <count>',
      summary: 'how many tasks to run at the same time: 1 to 100, default 1',
    },
    { flags: '--once', summary: 'exit after one attempt, with code 1 if it failed' },
    {
      flags: '--lease <seconds>',
      summary: 'how long a task stays claimed after the connection is lost; default 60',
    },
    { flags: '--grace <seconds>', summary: 'the time between SIGTERM and SIGKILL; default 5' },
    {
      flags: '--drain <seconds>',
      summary: 'how long programs can continue after Ctrl-C or SIGTERM; default 30',
    },
  ],
  scopes: ['tasks:read', 'tasks:write', 'agents:read'],
  json: { shape: 'a line for each attempt: `{ task_id, outcome, reason }`' },
  run: work,
}

import type { RealtimeEvent, RealtimeMessage, Task } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { oneLine, plainJson } from '../output/text.js'
import { taskIdOf } from './short-id.js'

async function watch(call: Call): Promise<void> {
  const { cli, options } = call
  const client = await cli.client()
  const workspace = textOf(options, 'workspace')
  const channel = workspace === undefined ? 'tasks' : `workspace.${workspace}`
  const given = textOf(options, 'task')
  const wanted = given === undefined ? undefined : await taskIdOf(call, given)
  const signal = cli.interrupted()
  const messages = client.realtime.subscribe(channel, {
    signal,
    ...(textOf(options, 'since') !== undefined && { since: { [channel]: sinceOf(options) } }),
    onState(state, reason) {
      if (state === 'offline') cli.output.note(`not connected: ${reason?.message ?? 'reconnecting'}`)
    },
  })
  for await (const message of messages) {
    const isOfChannel = message.type === 'subscribed' || message.type === 'gap'
    if (wanted !== undefined && !isOfChannel && taskOf(message) !== wanted) continue
    if (message.type === 'subscribed')
      cli.output.note(message.resumed ? 'connected' : 'connected: only new events follow')
    if (cli.output.isJson) cli.output.write(`${plainJson(message)}\n`)
    else if (message.type !== 'subscribed') cli.output.write(`${lineOf(message)}\n`)
    if (wanted === undefined) continue
    // Not before it is connected: an end in between would be missed.
    if (isOfChannel ? isOver(await client.tasks.get(wanted)) : isEnd(message)) break
  }
}

const isOver = ({ status }: Task): boolean => ['completed', 'failed', 'cancelled'].includes(status)

function isEnd(message: RealtimeMessage): boolean {
  if (message.type === 'task.failed') return message.data.reason === 'failed'
  return ['task.completed', 'task.cancelled', 'task.deleted'].includes(message.type)
}

function sinceOf(options: Call['options']): number {
  const text = textOf(options, 'since') ?? ''
  if (textOf(options, 'workspace') !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
  throw new CliError('usage', '--since must be the seq of an event, with --workspace')
}

function taskOf(message: RealtimeMessage): string | null {
  if ('task_id' in message) return message.task_id
  return 'data' in message ? message.data.task_id : null
}

function lineOf(message: RealtimeMessage): string {
  switch (message.type) {
    case 'subscribed':
      return 'subscribed'
    case 'gap':
      return `-  gap  the events ${message.from} to ${message.to} are no longer available`
    case 'task.progress':
      return `${message.timestamp}  progress  ${message.task_id}  ${message.progress} %`
    case 'task.log':
      return `${message.timestamp}  log  ${message.task_id}  ${message.level}: ${oneLine(message.message)}`
    case 'agent.status':
      return `${message.timestamp}  agent  ${message.agent_id}  ${message.status}`
    default:
      // A later version of the server may send more types.
      if (!('data' in message)) return oneLine(JSON.stringify(message))
      return `${message.timestamp}  ${message.type}  ${message.data.task_id}  ${oneLine(message.data.title + moreOf(message))}`
  }
}

/** What the type alone doesn't say: where to, what, or why. */
function moreOf(message: RealtimeEvent): string {
  switch (message.type) {
    case 'task.moved':
      return `  to ${message.data.to.toLowerCase()}`
    case 'task.commented':
      return `  ${message.data.kind}: ${message.data.body}`
    case 'task.failed': {
      const { reason, message: text } = message.data
      const why = {
        needs_input: 'question',
        approval: 'waits for approval',
        budget: 'budget',
        failed: 'failed',
      }[reason]
      return `  ${why}${text === null ? '' : `: ${text}`}`
    }
    default:
      return ''
  }
}

export const watchCommand: Command = {
  name: 'watch',
  summary: 'Print events as they happen, until Ctrl-C. It reconnects without gaps or duplicates',
  options: [
    { flags: '--workspace <id>', summary: 'only this workspace; default: every workspace of the key' },
    { flags: '--task <task>', summary: 'only this task, until it is done' },
    { flags: '--since <seq>', summary: 'start after this event of the workspace' },
  ],
  scopes: ['tasks:read'],
  json: { shape: 'a line for each message of the realtime channel' },
  run: watch,
}

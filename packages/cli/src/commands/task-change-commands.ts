import type { Comment, TaskLogLine, UpdateTaskBody } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import { plain } from '../output/text.js'
import { type Call, type Command, listOf, textOf } from '../command.js'
import { agentIdOf } from './agent-id.js'
import { taskIdOf } from './short-id.js'
import { metadataOf, priorities, task, taskIdsOf, textArgument } from './task-commands.js'
import { commentLines, logLines, taskLine } from './task-text.js'

/** What clears a field. */
const NOTHING = 'none'

async function update(call: Call): Promise<void> {
  const { cli, args, options } = call
  const client = await cli.client()
  const text = (name: string): string | null | undefined => {
    const given = textOf(options, name)
    return given === NOTHING ? null : given
  }
  const [description, assigned] = [text('description'), text('assign')]
  const body: UpdateTaskBody = {
    title: textOf(options, 'title'),
    description: description == null ? description : await textArgument(cli, description),
    type: text('type'),
    priority: textOf(options, 'priority') as UpdateTaskBody['priority'],
    assigned_to: assigned == null ? assigned : await agentIdOf(client, assigned),
    deadline: text('deadline'),
    not_before: text('notBefore'),
    tags: listOf(options, 'tag'),
    metadata: metadataOf(listOf(options, 'metadata')),
    depends_on: await taskIdsOf(call, listOf(options, 'dependsOn')),
  }
  if (Object.values(body).every((value) => value === undefined)) {
    throw new CliError('usage', 'no field to change: see taskboard update --help')
  }
  const changed = await client.tasks.update(await taskIdOf(call, args[0] ?? ''), body)
  cli.output.result(changed, () => taskLine(changed, cli.output.paint))
}

async function cancel(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
    options,
  } = call
  const id = await taskIdOf(call, wanted)
  const cancelled = await (await cli.client()).tasks.cancel(id, { message: textOf(options, 'message') })
  cli.output.result(cancelled, () => taskLine(cancelled, cli.output.paint))
}

async function release(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
  } = call
  const id = await taskIdOf(call, wanted)
  const released = await (await cli.client()).tasks.release(id)
  cli.output.result(released, () => taskLine(released, cli.output.paint))
}

async function remove(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
  } = call
  const id = await taskIdOf(call, wanted)
  await (await cli.client()).tasks.delete(id)
  cli.output.result({ deleted: id }, `${id}  deleted`)
}

async function thread(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
  } = call
  const id = await taskIdOf(call, wanted)
  const client = await cli.client()
  const comments: Comment[] = []
  for await (const one of client.tasks.allComments(id)) comments.push(one)
  cli.output.result({ comments, next_cursor: null }, () => commentLines(comments) || 'no comments')
}

async function logs(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
  } = call
  const id = await taskIdOf(call, wanted)
  const client = await cli.client()
  const lines: TaskLogLine[] = []
  for await (const line of client.tasks.allLogs(id)) lines.push(line)
  cli.output.result({ logs: lines, next_cursor: null }, () => plain(logLines(lines)) || 'no log lines')
}

export const taskChangeCommands: readonly Command[] = [
  {
    name: 'update',
    summary: `Change the given fields of a task; \`${NOTHING}\` clears one`,
    arguments: [task],
    options: [
      { flags: '--title <text>', summary: 'the title of the task' },
      { flags: '--description <text>', summary: 'the description; `-` reads standard input' },
      { flags: '--type <type>', summary: 'the type of the task, which selects agents' },
      { flags: '--priority <priority>', summary: 'the priority', choices: priorities },
      { flags: '--tag <tag>', summary: 'a tag; replaces all tags', isList: true },
      { flags: '--metadata <name=value>', summary: 'a metadata field; replaces all fields', isList: true },
      { flags: '--deadline <time>', summary: 'the due date in ISO 8601, such as 2030-01-31T12:00:00Z' },
      { flags: '--not-before <time>', summary: 'the earliest time at which an agent can claim the task' },
      {
        flags: '--depends-on <task>',
        summary: 'a task that must be done first; replaces all dependencies',
        isList: true,
      },
      { flags: '--assign <agent>', summary: 'the id or name of the only agent that can claim the task' },
    ],
    scopes: ['tasks:write'],
    json: { operation: 'updateTask' },
    run: update,
  },
  {
    name: 'cancel',
    summary: 'Cancel a task. An agent that is working on it loses its claim',
    arguments: [task],
    options: [{ flags: '--message <text>', summary: 'the reason' }],
    scopes: ['tasks:write'],
    json: { operation: 'cancelTask' },
    run: cancel,
  },
  {
    name: 'release',
    summary: 'Release a task that is on hold, so that agents can claim it again',
    arguments: [task],
    scopes: ['tasks:write'],
    json: { operation: 'releaseTask' },
    run: release,
  },
  {
    name: 'delete',
    summary: 'Delete a task with all its data',
    arguments: [task],
    scopes: ['tasks:write'],
    json: { shape: '`{ deleted }`' },
    run: remove,
  },
  {
    name: 'comments',
    summary: 'Show all comments of a task',
    arguments: [task],
    scopes: ['tasks:read'],
    json: { operation: 'listComments' },
    run: thread,
  },
  {
    name: 'logs',
    summary: 'Show the log of a task, oldest line first. Taskboard keeps the newest 1,000 lines',
    arguments: [task],
    scopes: ['tasks:read'],
    json: { operation: 'listTaskLogLines' },
    run: logs,
  },
]

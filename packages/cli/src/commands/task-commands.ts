import type {
  Comment,
  CreateTaskBody,
  ListedTask,
  ListTasksQuery,
  MoveTaskBody,
  TaskboardClient,
} from '@taskboard/client'
import { CliError } from '../cli-error.js'
import type { Cli } from '../cli.js'
import { type Call, type Command, listOf, type Option, textOf } from '../command.js'
import { agentIdOf } from './agent-id.js'
import { taskIdOf } from './short-id.js'
import { taskLine, taskPage, taskTable } from './task-text.js'

export const priorities = ['urgent', 'high', 'medium', 'low'] as const
const columns = ['todo', 'doing', 'done'] as const
const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'blocked'] as const
const holds = ['failed', 'cancelled', 'needs_input', 'approval', 'budget'] as const
const sorts = ['created', 'updated', 'due', 'priority_score'] as const
export const workspaceOption: Option = {
  flags: '--workspace <id>',
  summary: 'the workspace; default: TASKBOARD_WORKSPACE, then the workspace of the key',
}

export function workspaceOf({ cli, options }: Call): string | undefined {
  return textOf(options, 'workspace') ?? (cli.env['TASKBOARD_WORKSPACE']?.trim() || undefined)
}

async function agentOf(client: TaskboardClient, wanted: string | undefined): Promise<string | undefined> {
  return wanted === undefined ? undefined : agentIdOf(client, wanted)
}

/** The tasks that an option names. */
export async function taskIdsOf(
  call: Call,
  wanted: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  return wanted && (await Promise.all(wanted.map((one) => taskIdOf(call, one))))
}

async function parentOf(call: Call): Promise<string | undefined> {
  const wanted = textOf(call.options, 'parent')
  return wanted === undefined ? undefined : taskIdOf(call, wanted)
}

/** An argument's text; for `-`, all of standard input. */
export async function textArgument(cli: Cli, text: string | undefined): Promise<string> {
  return text === '-' ? (await cli.readInput()).trimEnd() : (text ?? '')
}

/** `name=value`; the values of a name that is given several times are a list. */
export function metadataOf(pairs: readonly string[] | undefined): CreateTaskBody['metadata'] {
  if (pairs === undefined) return undefined
  const metadata: Record<string, string | readonly string[]> = {}
  for (const pair of pairs) {
    const [name = '', ...rest] = pair.split('=')
    if (name === '' || rest.length === 0) throw new CliError('usage', '--metadata must be name=value')
    const value = rest.join('=')
    const earlier = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    metadata[name] = earlier === undefined ? value : [earlier, value].flat()
  }
  return metadata
}

async function add(call: Call): Promise<void> {
  const { cli, args, options } = call
  const client = await cli.client()
  const text = (name: string): string | undefined => textOf(options, name)
  const description = text('description')
  const body: CreateTaskBody = {
    title: args[0] ?? '',
    description: description === undefined ? undefined : await textArgument(cli, description),
    type: text('type'),
    priority: text('priority') as CreateTaskBody['priority'],
    assigned_to: await agentOf(client, text('assign')),
    deadline: text('deadline'),
    not_before: text('notBefore'),
    tags: listOf(options, 'tag'),
    metadata: metadataOf(listOf(options, 'metadata')),
    depends_on: await taskIdsOf(call, listOf(options, 'dependsOn')),
    parent_id: await parentOf(call),
    workspace_id: workspaceOf(call),
  }
  const task = await client.tasks.create(body, { idempotencyKey: text('idempotencyKey') })
  cli.output.result(task, () => taskLine(task, cli.output.paint))
}

async function list(call: Call): Promise<void> {
  const { cli, options } = call
  const client = await cli.client()
  const text = (name: string): string | undefined => textOf(options, name)
  const query: ListTasksQuery = {
    q: text('search'),
    status: text('status') as ListTasksQuery['status'],
    column: text('column') as ListTasksQuery['column'],
    hold: text('hold') as ListTasksQuery['hold'],
    priority: text('priority') as ListTasksQuery['priority'],
    sort: text('sort') as ListTasksQuery['sort'],
    type: text('type'),
    tag: text('tag'),
    agent_id: await agentOf(client, text('agent')),
    parent_id: await parentOf(call),
    workspace_id: workspaceOf(call),
    limit: text('limit'),
    cursor: text('cursor'),
  }
  if (options['all'] === true) {
    const tasks: ListedTask[] = []
    for await (const task of client.tasks.listAll({ ...query, limit: 1_000 })) tasks.push(task)
    return cli.output.result({ tasks, next_cursor: null }, () => taskTable(tasks, cli.output))
  }
  const page = await client.tasks.list(query)
  cli.output.result(page, () => taskTable(page.tasks, cli.output))
  if (page.next_cursor !== null && !cli.output.isJson) {
    cli.output.note(`more with --all, or with --cursor ${page.next_cursor}`)
  }
}

async function show(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = ''],
  } = call
  const client = await cli.client()
  const id = await taskIdOf(call, wanted)
  const task = await client.tasks.get(id)
  if (cli.output.isJson) return cli.output.result(task, '')
  const comments: Comment[] = []
  for await (const one of client.tasks.allComments(id)) comments.push(one)
  const { approvals } = await client.approvals.list({ task_id: id, status: 'pending' })
  cli.output.result(task, () => taskPage(task, { comments, approvals }, cli.output.paint))
}

async function move(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = '', to = ''],
  } = call
  if (!columns.some((column) => column === to)) {
    throw new CliError('usage', `the column must be one of ${columns.join(', ')}`)
  }
  const task = await (
    await cli.client()
  ).tasks.move(await taskIdOf(call, wanted), { to: to as MoveTaskBody['to'] })
  cli.output.result(task, () => taskLine(task, cli.output.paint))
}

async function complete(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = '', text],
    options,
  } = call
  const body = { result: await textArgument(cli, text), take_over: options['takeOver'] === true }
  const client = await cli.client()
  const done = await client.tasks.complete(await taskIdOf(call, wanted), body)
  cli.output.result(done, `${done.id}  ${done.status}`)
}

async function comment(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = '', text],
  } = call
  const client = await cli.client()
  const written = await client.tasks.comment(await taskIdOf(call, wanted), {
    body: await textArgument(cli, text),
  })
  cli.output.result(written, `${written.id}  commented`)
}

async function answer(call: Call): Promise<void> {
  const {
    cli,
    args: [wanted = '', text],
  } = call
  const client = await cli.client()
  const written = await client.tasks.answer(await taskIdOf(call, wanted), {
    body: await textArgument(cli, text),
  })
  cli.output.result(written, `${written.id}  answered`)
}

export const task = { name: 'task', summary: 'the id of the task, or at least its last four characters' }
const writing = { name: 'text', summary: 'the text, or `-` for standard input' }

export const taskCommands: readonly Command[] = [
  {
    name: 'add',
    summary: 'Add a task',
    arguments: [{ name: 'title', summary: 'the title of the task' }],
    options: [
      { flags: '--description <text>', summary: 'the description; `-` reads standard input' },
      { flags: '--type <type>', summary: 'the type of the task, which selects agents' },
      { flags: '--priority <priority>', summary: 'default medium', choices: priorities },
      { flags: '--tag <tag>', summary: 'a tag', isList: true },
      { flags: '--metadata <name=value>', summary: 'a metadata field', isList: true },
      { flags: '--deadline <time>', summary: 'the due date in ISO 8601, such as 2030-01-31T12:00:00Z' },
      { flags: '--not-before <time>', summary: 'the earliest time at which an agent can claim the task' },
      { flags: '--depends-on <task>', summary: 'a task that must be done first', isList: true },
      { flags: '--assign <agent>', summary: 'the id or name of the only agent that can claim the task' },
      { flags: '--parent <task>', summary: 'the parent task' },
      { flags: '--idempotency-key <text>', summary: 'a key that makes the command safe to retry' },
      workspaceOption,
    ],
    scopes: ['tasks:write'],
    json: { operation: 'createTask' },
    run: add,
  },
  {
    name: 'list',
    summary: 'List tasks, newest first',
    options: [
      { flags: '--search <words>', summary: 'words in the title or the description' },
      { flags: '--status <status>', summary: 'only tasks with this status', choices: statuses },
      { flags: '--column <column>', summary: 'only tasks in this column', choices: columns },
      { flags: '--hold <reason>', summary: 'only tasks on hold for this reason', choices: holds },
      { flags: '--priority <priority>', summary: 'only tasks with this priority', choices: priorities },
      { flags: '--type <type>', summary: 'only tasks of this type' },
      { flags: '--tag <tag>', summary: 'only tasks with this tag' },
      { flags: '--agent <agent>', summary: 'only tasks assigned to this agent (id or name)' },
      { flags: '--parent <task>', summary: 'only subtasks of this task' },
      { flags: '--sort <order>', summary: 'default created', choices: sorts },
      { flags: '--limit <count>', summary: 'the size of a page: 1 to 1000, default 100' },
      { flags: '--cursor <cursor>', summary: 'the `next_cursor` of the previous page' },
      { flags: '--all', summary: 'get every page' },
      workspaceOption,
    ],
    scopes: ['tasks:read'],
    json: { operation: 'listTasks' },
    run: list,
  },
  {
    name: 'show',
    summary:
      'Show a task, its outputs and its newest 100 log lines. Without `--json`, it includes comments and pending approvals',
    arguments: [task],
    scopes: ['tasks:read'],
    json: { operation: 'getTask' },
    run: show,
  },
  {
    name: 'move',
    summary: 'Move a task to another column. An agent that is working on it loses its claim',
    arguments: [task, { name: 'column', summary: '`todo`, `doing` or `done`' }],
    scopes: ['tasks:write'],
    json: { operation: 'moveTask' },
    run: move,
  },
  {
    name: 'complete',
    summary: 'Complete a task yourself, with a result that dependent tasks receive',
    arguments: [task, { ...writing, summary: 'the result, or `-` for standard input' }],
    options: [
      {
        flags: '--take-over',
        summary: 'complete the task even while an agent is working on it; stops the run',
      },
    ],
    scopes: ['tasks:write'],
    json: { operation: 'completeTask' },
    run: complete,
  },
  {
    name: 'comment',
    summary: 'Comment on a task',
    arguments: [task, writing],
    scopes: ['tasks:write'],
    json: { operation: 'createComment' },
    run: comment,
  },
  {
    name: 'answer',
    summary: "Answer an agent's question, so that the task can continue",
    arguments: [task, writing],
    scopes: ['tasks:write'],
    json: { operation: 'answerTask' },
    run: answer,
  },
]

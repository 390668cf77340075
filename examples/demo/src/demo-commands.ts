/** Commands to paste into a POSIX shell, one after the other. */
interface CommandSection {
  readonly heading: string
  readonly commands: readonly Command[]
}

interface Command {
  readonly purpose: string
  readonly line: string
}

/** What the commands work on. */
export interface CommandPlace {
  readonly url: string
  readonly workspaceId: string
  readonly webhookAllow: readonly string[]
  /** The agent whose tasks a worker outside claims, and the key for that; null when the demo's own agent works. */
  readonly worker: { readonly agentId: string; readonly key: string } | null
}

interface Call {
  /** May have shell variables in it. */
  readonly path: string
  /** JSON. Shell variables stand outside of its quotes: `'$TOKEN'`. */
  readonly body?: string
  /** The variable with the key. */
  readonly key?: 'KEY' | 'WORKER'
}

const RULE = '==='
const BOARD = '/api/board?action='
const ADDED_TASK = {
  title: 'Prepare the launch',
  description:
    '- [x] Pick a date\n- Write to press@example.com before 2026-12-01\n- wait 1s\n- Order 250 stickers',
  priority: 'high',
}
const SHARED_TASK = {
  title: 'Plan the party',
  description: '? How many guests?\n! Order the cake\n+ Write the invitation\n- Book the room',
}
/** The documented query, on one line. */
const OVERVIEW = [
  'query Overview($id: ID!) { workspace(id: $id) { name',
  'tasks(first: 10, status: IN_PROGRESS) { edges { node { id title progress agent { name type } estimatedCompletion } } }',
  'agents { id name status currentWorkload }',
  'analytics(period: LAST_7_DAYS) { tasksCompleted timesSaved successRate } } }',
].join(' ')
const EVENTS = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'task.moved',
  'task.commented',
  'approval.requested',
]

/** The path and the body of the first task that a person adds. */
const addIt = { path: `${BOARD}add`, body: JSON.stringify(ADDED_TASK) }

/** A short line that adds a task. */
export function addLine(url: string): string {
  return toCurl(url, { ...addIt, body: JSON.stringify({ title: 'Order 250 stickers' }) })
}

/** The text of the page with all commands. Keys aren't in it: the server prints them when it starts. */
export function commandsText(place: CommandPlace): string {
  const keys = place.worker === null ? 'KEY' : 'KEY and WORKER'
  return [
    `# Lines to paste into a POSIX shell, after the lines with ${keys} that the server printed when it started.`,
    ...commandSections(place).flatMap(({ heading, commands }) => [
      '',
      `# ${RULE} ${heading} ${RULE}`,
      ...commands.flatMap(({ purpose, line }) => ['', `# ${purpose}`, line]),
    ]),
    '',
  ].join('\n')
}

function commandSections(place: CommandPlace): readonly CommandSection[] {
  const call = (purpose: string, given: Call): Command => ({ purpose, line: toCurl(place.url, given) })
  const first = firstCommands(place, call)
  const last = otherCommands(place, call)
  const programs = {
    heading: 'Run programs, in the folder of the repository',
    commands: programCommands(place),
  }
  if (place.worker === null) {
    return [
      {
        heading: 'Try the API',
        commands: [...first, ...ownAgentCommands(call), ...last, moveCommand(place)],
      },
      { heading: 'Work with the agent, one line at a time', commands: togetherCommands(place, call) },
      programs,
    ]
  }
  return [
    { heading: 'Try the API', commands: [...first, ...last] },
    {
      heading: 'Be the worker, one line at a time; its key cannot decide approvals',
      commands: workerCommands(place, place.worker.agentId, call),
    },
    programs,
  ]
}

function programCommands({ url }: CommandPlace): readonly Command[] {
  const toClient = (script: 'graphql' | 'realtime'): string =>
    `TASKBOARD_URL=${url} TASKBOARD_KEY=$KEY npm run ${script} -w @taskboard/example-clients`
  return [
    { purpose: 'draw the board, from a GraphQL query', line: toClient('graphql') },
    {
      purpose: 'follow what happens on it over a WebSocket, through lost connections, until Ctrl-C',
      line: toClient('realtime'),
    },
  ]
}

type MakeCommand = (purpose: string, call: Call) => Command

function firstCommands({ webhookAllow, worker }: CommandPlace, call: MakeCommand): readonly Command[] {
  const receiver = webhookAllow.length === 0 ? 'https://receiver.example/hook' : 'http://127.0.0.1:9000/hook'
  const taker = worker === null ? 'the agent picks it up immediately' : 'it waits for a worker'
  return [
    call('receive events as signed webhooks', {
      path: '/api/webhooks/create',
      body: JSON.stringify({ url: receiver, events: EVENTS, secret: 'demo-secret-0123' }),
    }),
    call(`add a task; ${taker}`, addIt),
  ]
}

function ownAgentCommands(call: MakeCommand): readonly Command[] {
  const chat = (message: string): Call => ({ path: `${BOARD}chat`, body: JSON.stringify({ message }) })
  return [
    call('watch the agent work on it', { path: `${BOARD}doing` }),
    call('see it done', { path: `${BOARD}done` }),
    call('ask the agent for its report; the task.completed webhook has the same text', chat('result')),
    call('let the agent add a task', chat('add Write the report, urgent, due tomorrow')),
  ]
}

function otherCommands({ workspaceId }: CommandPlace, call: MakeCommand): readonly Command[] {
  return [
    call('the same tasks in API v2', { path: '/v2/tasks?limit=5' }),
    call('the agents, their workload and their success rate', { path: '/v2/agents' }),
    call('the tasks in progress, the agents and the figures of a week in one GraphQL request', {
      path: '/v2/graphql',
      body: JSON.stringify({ query: OVERVIEW, variables: { id: workspaceId } }),
    }),
  ]
}

function moveCommand({ url }: CommandPlace): Command {
  const body = `{"task_id":"'$(${toCurl(url, { path: `${BOARD}done` })} | ${firstId('task')})'","to":"todo"}`
  return {
    purpose: 'move a task (here the first one that is done) back to TODO',
    line: toCurl(url, { path: `${BOARD}move`, body }),
  }
}

function togetherCommands({ url }: CommandPlace, call: MakeCommand): readonly Command[] {
  const add = toCurl(url, { path: '/v2/tasks', body: JSON.stringify(SHARED_TASK) })
  return [
    {
      purpose: 'add a task with a question (?), a line that needs approval (!) and one for a subtask (+)',
      line: `TASK=$(${add} | ${firstId('task')})`,
    },
    call('read what the agent asks', { path: '/v2/tasks/$TASK/comments' }),
    call('answer; the agent resumes', { path: '/v2/tasks/$TASK/answer', body: '{"body":"Forty"}' }),
    ...decisionCommands(url, call, 'see what it wants to do'),
    call('see the result, with the answer and the result of the subtask', { path: '/v2/tasks/$TASK' }),
    call('read the whole conversation', { path: '/v2/tasks/$TASK/comments' }),
  ]
}

function decisionCommands(url: string, call: MakeCommand, purpose: string): readonly Command[] {
  const pending = { path: '/v2/approvals?status=pending&task_id=$TASK' }
  return [
    call(purpose, pending),
    {
      purpose: 'approve it ("rejected" rejects it)',
      line: `APPROVAL=$(${toCurl(url, pending)} | ${firstId('apr')})`,
    },
    call('… which works once: the first decision counts', {
      path: '/v2/approvals/$APPROVAL/decision',
      body: '{"decision":"approved","comment":"Go ahead"}',
    }),
  ]
}

function workerCommands({ url }: CommandPlace, agentId: string, call: MakeCommand): readonly Command[] {
  const claim = toCurl(url, {
    path: '/v2/tasks/claim',
    body: JSON.stringify({ agent_id: agentId, lease_s: 600 }),
    key: 'WORKER',
  })
  const claimIt = `CLAIM=$(${claim}); ${READ_CLAIM}`
  const request: Call = {
    path: '/v2/tasks/$TASK/approvals',
    body: `{"fencing_token":'$TOKEN',"action":"order","summary":"Order 250 stickers","input":{"stickers":250}}`,
    key: 'WORKER',
  }
  return [
    { purpose: 'claim the best task; its fencing token is needed for each write', line: claimIt },
    call('ask people; the task waits for them', {
      path: '/v2/tasks/$TASK/hold',
      body: `{"fencing_token":'$TOKEN',"reason":"needs_input","message":"Which color?"}`,
      key: 'WORKER',
    }),
    call('answer, as a person', { path: '/v2/tasks/$TASK/answer', body: '{"body":"Green"}' }),
    { purpose: 'claim it again', line: claimIt },
    call('find the answer', { path: '/v2/tasks/$TASK/comments', key: 'WORKER' }),
    call('ask for approval; the task waits for a decision', request),
    ...decisionCommands(url, call, 'see what waits, as a person'),
    { purpose: 'claim it again', line: claimIt },
    call('ask again: now the outcome is "approved", once', request),
    call('complete the task', {
      path: '/v2/tasks/$TASK/complete',
      body: `{"fencing_token":'$TOKEN',"result":"250 green stickers are ordered"}`,
      key: 'WORKER',
    }),
  ]
}

/** Shows the claim, and sets what the following lines use. */
const READ_CLAIM = [
  `printf '%s\\n' "$CLAIM"`,
  `TASK=$(printf '%s' "$CLAIM" | ${firstId('task')})`,
  `TOKEN=$(printf '%s' "$CLAIM" | grep -o '"fencing_token":[0-9]*' | grep -o '[0-9]*$')`,
].join('; ')

function firstId(prefix: string): string {
  return `grep -o '${prefix}_[0-9a-z]*' | head -n 1`
}

function toCurl(url: string, { path, body, key = 'KEY' }: Call): string {
  const quote = path.includes('$') ? '"' : "'"
  const parts = [`curl -s ${quote}${url}${path}${quote}`, `-H "Authorization: Bearer $${key}"`]
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d '${body}'`)
  return parts.join(' ')
}

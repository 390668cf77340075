import type { DemoOwner } from './demo-owner.js'

export interface Greeting {
  /** Which server runs: `Express`. */
  readonly framework: string
  readonly url: string
  /** Where the state is, and the key that its secrets are sealed with. */
  readonly place: string
  readonly keyPlace: string
  readonly workspaceId: string
  readonly accountName: string
  readonly isNew: boolean
  readonly owner: DemoOwner
  readonly key: string
  readonly expiresAt: number
  readonly webhookAllow: readonly string[]
}

interface Command {
  readonly purpose: string
  readonly path: string
  readonly body?: string
}

const ADDED_TASK = {
  title: 'Prepare the launch',
  description:
    '- [x] Pick a date\n- Write to press@example.com before 2026-12-01\n- wait 1s\n- Order 250 stickers',
  priority: 'high',
}
/** The documented query, on one line. */
const OVERVIEW = [
  'query Overview($id: ID!) { workspace(id: $id) { name',
  'tasks(first: 10, status: IN_PROGRESS) { edges { node { id title progress agent { name type } estimatedCompletion } } }',
  'agents { id name status currentWorkload }',
  'analytics(period: LAST_7_DAYS) { tasksCompleted timesSaved successRate } } }',
].join(' ')
const EVENTS = ['task.created', 'task.started', 'task.completed', 'task.failed', 'task.moved']

/** What a new user needs: the server's address, its state, the key, and commands to paste into a POSIX shell. */
export function greet(greeting: Greeting): string {
  const { framework, url, place, keyPlace, workspaceId, accountName, isNew, key, expiresAt, webhookAllow } =
    greeting
  const { email, password } = greeting.owner
  const until = new Date(expiresAt).toISOString()
  return [
    '',
    `Taskboard on ${framework}: ${url}`,
    `State:     ${place}; it is kept when this process ends`,
    `Secrets:   of webhooks are sealed with the key in ${keyPlace}`,
    `Workspace: ${workspaceId} of the account "${accountName}", ${isNew ? 'made now' : 'found there'}`,
    `Owner:     ${email}${password === null ? '' : `, whose password is shown only here: ${password}`}`,
    `Webhooks:  ${describeAllow(webhookAllow)}`,
    `Reference: ${url}/v2/reference has every route of the enterprise API`,
    `GraphQL:   ${url}/v2/graphql`,
    `Realtime:  ${url.replace('http', 'ws')}/v2/realtime`,
    '',
    `Your API key, valid until ${until} and shown only here. Paste it into another terminal:`,
    '',
    `  KEY=${key}`,
    '',
    'Then try:',
    '',
    ...commands(url, workspaceId, webhookAllow).flatMap((command) => [
      `  # ${command.purpose}`,
      `  ${toCurl(url, command)}`,
    ]),
    '',
    'And from programs, in this folder:',
    '',
    '  # draw the board, asked for by GraphQL',
    `  ${toClient(url, 'graphql')}`,
    '  # follow what happens on it over a WebSocket, through cuts too, until Ctrl-C',
    `  ${toClient(url, 'realtime')}`,
    '',
    `What happens on the board follows, a line for each event. Ctrl-C ends it.`,
    '',
  ].join('\n')
}

function describeAllow(allow: readonly string[]): string {
  return allow.length === 0
    ? 'to public https addresses (TASKBOARD_WEBHOOK_ALLOW=127.0.0.0/8 opens this machine for development)'
    : `to public https addresses, and to ${allow.join(', ')} over http as well`
}

function commands(url: string, workspaceId: string, webhookAllow: readonly string[]): readonly Command[] {
  const receiver = webhookAllow.length === 0 ? 'https://receiver.example/hook' : 'http://127.0.0.1:9000/hook'
  const board = '/api/board?action='
  return [
    {
      purpose: 'receive events as signed webhooks',
      path: '/api/webhooks/create',
      body: JSON.stringify({ url: receiver, events: EVENTS, secret: 'demo-secret' }),
    },
    {
      purpose: 'add a task; the agent takes it at once',
      path: `${board}add`,
      body: JSON.stringify(ADDED_TASK),
    },
    { purpose: 'watch it being worked', path: `${board}doing` },
    { purpose: 'see it done', path: `${board}done` },
    {
      purpose: 'ask the agent for its report (the task.completed webhook carries it too)',
      path: `${board}chat`,
      body: JSON.stringify({ message: 'result' }),
    },
    {
      purpose: 'let the agent add a task',
      path: `${board}chat`,
      body: JSON.stringify({ message: 'add Write the report, urgent, due tomorrow' }),
    },
    {
      purpose: 'the same tasks by the enterprise API',
      path: '/v2/tasks?limit=5',
    },
    { purpose: 'the agents, their workload and their success rate', path: '/v2/agents' },
    {
      purpose: 'the tasks in work, the agents and the figures of a week in one GraphQL request',
      path: '/v2/graphql',
      body: JSON.stringify({ query: OVERVIEW, variables: { id: workspaceId } }),
    },
    {
      purpose: 'move a task (here the first one that is done) back to TODO',
      path: `${board}move`,
      body: `{"task_id":"'$(${toCurl(url, { purpose: '', path: `${board}done` })} | grep -o 'task_[0-9a-z]*' | head -n 1)'","to":"todo"}`,
    },
  ]
}

function toCurl(url: string, { path, body }: Command): string {
  const parts = [`curl -s '${url}${path}'`, `-H "Authorization: Bearer $KEY"`]
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d '${body}'`)
  return parts.join(' ')
}

function toClient(url: string, script: 'graphql' | 'realtime'): string {
  return `TASKBOARD_URL=${url} TASKBOARD_KEY=$KEY npm run ${script} -w @taskboard/example-clients`
}

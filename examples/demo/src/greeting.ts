import { commandSections, type CommandPlace } from './demo-commands.js'
import type { DemoOwner } from './demo-owner.js'

export interface Greeting extends CommandPlace {
  /** Which server runs: `Express`. */
  readonly framework: string
  /** Logs the owner in, once. */
  readonly dashboardUrl: string
  /** Where the state is, and the key that its secrets are sealed with. */
  readonly place: string
  readonly keyPlace: string
  /** The name of the language model that works the tasks; null for the checklist agent. */
  readonly model: string | null
  readonly accountName: string
  readonly isNew: boolean
  readonly owner: DemoOwner
  readonly key: string
  readonly expiresAt: number
}

/** What a new user needs: the server's address, its state, the key, and commands to paste into a POSIX shell. */
export function greet(greeting: Greeting): string {
  const { framework, url, dashboardUrl, place, keyPlace, workspaceId, accountName, isNew, key, expiresAt } =
    greeting
  const { email, password } = greeting.owner
  const until = new Date(expiresAt).toISOString()
  return [
    `Dashboard: ${dashboardUrl}`,
    '           opens it as the owner: once, within ten minutes. Later, log in with the password, or start again for a new link',
    '',
    `Taskboard on ${framework}: ${url}`,
    `State:     ${place}; it is kept when this process ends`,
    `Secrets:   of webhooks are sealed with the key in ${keyPlace}`,
    `Workspace: ${workspaceId} of the account "${accountName}", ${isNew ? 'made now' : 'found there'}`,
    `Owner:     ${email}${password === null ? '' : `, whose password is shown only here: ${password}`}`,
    `Agent:     ${describeAgent(greeting)}`,
    `Webhooks:  ${describeAllow(greeting.webhookAllow)}`,
    `Reference: ${url}/v2/reference has every route of the enterprise API`,
    `GraphQL:   ${url}/v2/graphql`,
    `MCP:       ${url}/mcp has the tools for AI agents, ?tools=worker,planner all of them`,
    `Realtime:  ${url.replace('http', 'ws')}/v2/realtime`,
    '',
    `Your API key, valid until ${until} and shown only here. Paste it into another terminal:`,
    '',
    `  KEY=${key}`,
    '',
    ...commandSections(greeting).flatMap(({ heading, commands }) => [
      heading,
      '',
      ...commands.flatMap(({ purpose, line }) => [`  # ${purpose}`, `  ${line}`]),
      '',
    ]),
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

function describeAgent({ worker, model }: Pick<Greeting, 'worker' | 'model'>): string {
  const agent = model === null ? '' : `the model ${model} `
  return worker === null
    ? `${agent}works the tasks in this process (TASKBOARD_AGENT=off leaves them to workers over HTTP)`
    : `${worker.agentId} waits for a worker that claims its tasks over HTTP; none runs in this process`
}

function describeAllow(allow: readonly string[]): string {
  return allow.length === 0
    ? 'to public https addresses (TASKBOARD_WEBHOOK_ALLOW=127.0.0.0/8 opens this machine for development)'
    : `to public https addresses, and to ${allow.join(', ')} over http as well`
}

function toClient(url: string, script: 'graphql' | 'realtime'): string {
  return `TASKBOARD_URL=${url} TASKBOARD_KEY=$KEY npm run ${script} -w @taskboard/example-clients`
}

import { addLine, type CommandPlace } from './demo-commands.js'
import type { DemoOwner } from './demo-owner.js'

export interface Greeting extends CommandPlace {
  /** Which server runs: `Express`. */
  readonly framework: string
  /** Logs the owner in, once. */
  readonly dashboardUrl: string
  /** Where the state is, and the key that its secrets are encrypted with. */
  readonly place: string
  readonly keyPlace: string
  /** The name of the language model that works on the tasks; null for the checklist agent. */
  readonly model: string | null
  /** Whether a bot is in Telegram. */
  readonly hasBot: boolean
  readonly accountName: string
  readonly isNew: boolean
  readonly owner: DemoOwner
  readonly key: string
  readonly expiresAt: number
}

const SECOND_MS = 1_000

/**
 * The information that a new user needs, in a window of 80 by 24: the server's address, its state, the key and a first command. The link to
 * the dashboard is the last line.
 */
export function greet(greeting: Greeting): string {
  const { framework, url, dashboardUrl, place, keyPlace, workspaceId, accountName, isNew, key, expiresAt } =
    greeting
  const { worker, owner } = greeting
  const until = new Date(Math.floor(expiresAt / SECOND_MS) * SECOND_MS).toISOString().replace('.000', '')
  const added = worker === null ? 'the agent picks it up immediately' : 'it waits for a worker'
  return [
    `Taskboard on ${framework}: ${url}`,
    `State:     ${place}, kept when the server stops`,
    `Secrets:   encrypted with the key in ${keyPlace}`,
    `Workspace: ${workspaceId} of the account "${accountName}", ${isNew ? 'new' : 'found'}`,
    `Owner:     ${owner.email}${owner.password === null ? '' : ` / ${owner.password} (shown only here)`}`,
    `Agent:     ${describeAgent(greeting)}`,
    `Webhooks:  ${describeAllow(greeting.webhookAllow)}`,
    `API:       /v2/reference, GraphQL /v2/graphql, MCP /mcp, WebSocket /v2/realtime`,
    ...(greeting.hasBot
      ? ['Telegram:  Settings, Messengers in the dashboard has a code that links you']
      : []),
    `Commands:  ${url}/commands has curl lines to try`,
    '',
    `Your API key, valid until ${until} and shown only here:`,
    `  KEY=${key}`,
    ...(worker === null ? [] : ['And one for a worker:', `  WORKER=${worker.key}`]),
    `Add a task with it in another terminal; ${added}:`,
    `  ${addLine(url)}`,
    '',
    'Events of the board are printed below. Ctrl-C stops the server.',
    '',
    'Open the dashboard as the owner (single-use link, valid for 10 minutes):',
    `  ${dashboardUrl}`,
  ].join('\n')
}

function describeAgent({ worker, model }: Pick<Greeting, 'worker' | 'model'>): string {
  if (worker !== null) return `${worker.agentId} waits for a worker over HTTP`
  if (model !== null) return `the model ${model} works on the tasks in this process`
  return 'works on tasks in this process (TASKBOARD_AGENT=off: workers do)'
}

function describeAllow(allow: readonly string[]): string {
  return allow.length === 0
    ? 'to public https addresses; TASKBOARD_WEBHOOK_ALLOW adds networks'
    : `to public https addresses and, over http, to ${allow.join(', ')}`
}

import { TaskboardError } from '@taskboard/core'
import { requireOptionNames } from '@taskboard/core/transport'
import { type ToolSet, toolSets } from './tools/tool.js'

export interface McpOptions {
  /** Where the endpoint is, below the mount path of the adapter. Default `/mcp`. */
  readonly path?: `/${string}` | undefined
  /**
   * The sets of tools that are offered. The URL of a client can narrow them (`?tools=planner`), and names no other one. Default: those
   * that the URL names, `worker` if it names none.
   */
  readonly tools?: readonly ToolSet[] | undefined
  /**
   * The name or the id of the agent that claims tasks when neither a call of `claim_task` nor the URL (`?agent=Claude`) names one.
   * Default: the only one within the caller's reach that the host doesn't run.
   */
  readonly agent?: string | undefined
  /**
   * The host names (without ports) that requests may address. Default: any, but pages of browsers reach only `localhost` and
   * its addresses.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** The origins of pages that may send requests, besides those on an allowed host: `https://app.example`. */
  readonly allowedOrigins?: readonly string[] | undefined
  /**
   * The issuers of the access tokens that the host accepts. With any, the endpoint names them to clients (RFC 9728). Default none:
   * clients are configured with an API key.
   */
  readonly authorizationServers?: readonly string[] | undefined
  /**
   * The public URL of the endpoint, for that document. Required with `authorizationServers`, unless `allowedHosts` lists the hosts:
   * then it is the URL that the client addressed.
   */
  readonly resource?: string | undefined
}

/** @throws TaskboardError `INVALID_CONFIG` naming an option that can't work, or that is none. */
export function checkOptions(options: McpOptions): void {
  requireOptionNames<McpOptions>(options, {
    path: true,
    tools: true,
    agent: true,
    allowedHosts: true,
    allowedOrigins: true,
    authorizationServers: true,
    resource: true,
  })
  const { tools, allowedHosts, allowedOrigins, authorizationServers = [], resource } = options
  for (const each of tools ?? []) {
    if (!toolSets.includes(each)) throw invalid('tools', `must be of ${toolSets.join(', ')}`)
  }
  const urls = { allowedOrigins: allowedOrigins ?? [], authorizationServers }
  for (const [field, list] of Object.entries(urls))
    for (const url of list) if (!URL.canParse(url)) throw invalid(field, `has ${url}, which is not a URL`)
  if (resource !== undefined && !isResource(resource)) {
    throw invalid('resource', 'must be an http or https URL without a fragment')
  }
  if (authorizationServers.length > 0 && resource === undefined && allowedHosts === undefined) {
    throw invalid('resource', 'or allowedHosts is required with authorizationServers')
  }
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}

function isResource(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !url.includes('#')
}

/** What the query of a request chooses. */
export interface Choice {
  readonly sets: readonly ToolSet[]
  /** The name or the id of the agent that claims. */
  readonly agent: string | undefined
}

/** Names of agents have no more characters, and ids have fewer. */
const LONGEST_NAME = 100

/** @throws TaskboardError `INVALID_FIELD` (`tools`, `agent`). */
export function parseChoice(query: string, { tools, agent }: Pick<McpOptions, 'tools' | 'agent'>): Choice {
  const values = new URLSearchParams(query)
  return {
    sets: parseSets(valueOf(values, 'tools'), tools ?? toolSets) ?? tools ?? ['worker'],
    agent: parseName(valueOf(values, 'agent')) ?? agent,
  }
}

/** A misspelt set would leave an agent without tools. */
function parseSets(text: string | undefined, offered: readonly ToolSet[]): readonly ToolSet[] | null {
  if (text === undefined) return null
  const named = text.split(',').map((each) => each.trim())
  const sets = offered.filter((each) => named.includes(each))
  if (sets.length > 0 && sets.length === new Set(named).size) return sets
  throw new TaskboardError('INVALID_FIELD', `tools must be one or more of ${offered.join(', ')}`, {
    field: 'tools',
  })
}

function parseName(text: string | undefined): string | undefined {
  if (text === undefined || (text.trim() !== '' && Array.from(text).length <= LONGEST_NAME)) return text
  const rule = `agent must be the name or the id of an agent, of 1 to ${LONGEST_NAME} characters`
  throw new TaskboardError('INVALID_FIELD', rule, { field: 'agent' })
}

function valueOf(values: URLSearchParams, field: string): string | undefined {
  const [value, other] = values.getAll(field)
  if (other === undefined) return value
  throw new TaskboardError('INVALID_FIELD', `${field} must be given once`, { field })
}

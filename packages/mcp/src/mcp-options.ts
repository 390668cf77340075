import { TaskboardError } from '@taskboard/core'
import { type ToolSet, toolSets } from './tools/tool.js'

export interface McpOptions {
  /** Where the endpoint is, below the mount path of the adapter. Default `/mcp`. */
  readonly path?: `/${string}` | undefined
  /** The sets of tools that are listed, unless the URL names its own (`?tools=worker,planner`). Default `['worker']`. */
  readonly tools?: readonly ToolSet[] | undefined
  /** The agent that claims tasks when a call of `claim_task` names none. Default: calls must name one. */
  readonly agentId?: string | undefined
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
  /** The public URL of the endpoint, for that document. Default: the URL that the client addressed. */
  readonly resource?: string | undefined
}

/** @throws TypeError for an option that cannot work. */
export function checkOptions({
  path,
  tools,
  allowedOrigins,
  authorizationServers,
  resource,
}: McpOptions): void {
  if (path !== undefined && !/^(?:\/[\w.~-]+)+$/.test(path))
    throw new TypeError('path must be a path such as /mcp')
  for (const each of tools ?? []) {
    if (!toolSets.includes(each)) throw new TypeError(`tools must be of ${toolSets.join(', ')}`)
  }
  const urls = [
    ...(allowedOrigins ?? []),
    ...(authorizationServers ?? []),
    ...(resource === undefined ? [] : [resource]),
  ]
  for (const url of urls) if (!URL.canParse(url)) throw new TypeError(`${url} is not a URL`)
}

/**
 * The sets that the query of a request names; null when it names none.
 * @throws TaskboardError `INVALID_FIELD` (`tools`) for a name that is no set: a misspelt one would leave an agent without tools.
 */
export function setsOf(query: string): readonly ToolSet[] | null {
  const named = new URLSearchParams(query)
    .get('tools')
    ?.split(',')
    .map((each) => each.trim())
  if (named === undefined) return null
  const sets = toolSets.filter((each) => named.includes(each))
  if (sets.length === new Set(named).size) return sets
  throw new TaskboardError('INVALID_FIELD', `tools must be of ${toolSets.join(', ')}`, { field: 'tools' })
}

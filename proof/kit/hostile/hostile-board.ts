import { createTaskboard, scopes, type Principal, type Taskboard } from '@taskboard/core'
import { apiRoutes, type HttpRequest, type HttpResponse, type RequestBody } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'

/** An operation, as the OpenAPI document describes it. */
export interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>
  }
}

/** The parts of a request that differ from the default. */
export interface Asked {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly params?: Readonly<Record<string, string>>
  readonly body?: RequestBody
}

export type Ask = (method: string, template: string, asked?: Asked) => Promise<HttpResponse>

const ids: Readonly<Record<string, string>> = {
  task_id: 'task_x',
  agent_id: 'agent_x',
  webhook_id: 'wh_x',
  key_id: 'ak_x',
}

const NO_BODY: RequestBody = { kind: 'none' }
const usualHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'idempotency-key': 'k',
}

/** A task board whose callers are all one user with every scope. */
export async function openTaskboard(): Promise<Taskboard> {
  const principal: { -readonly [Name in keyof Principal]: Principal[Name] } = {
    id: 'user_1',
    kind: 'user',
    accountId: '',
    tier: 'custom',
    scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: '',
  }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    authenticate: () => principal,
    // A request that is refused by a limit is not processed.
    limits: { boardPerMinute: 100_000 },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  Object.assign(principal, { accountId: account.id, defaultWorkspaceId: workspace.id })
  return taskboard
}

/** Calls the routes of such a board directly; gives the paths that it has, too. */
export async function openBoard(): Promise<{ readonly ask: Ask; readonly paths: ReadonlySet<string> }> {
  const taskboard = await openTaskboard()
  const routes = new Map(apiRoutes(taskboard).map((route) => [route.path, route]))
  const ask: Ask = async (method, template, { query = '', headers, params, body = NO_BODY } = {}) => {
    const own = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, ids[name] ?? 'x'] as const)
    const all = { ...usualHeaders, ...headers }
    const request: HttpRequest = {
      method,
      path: template,
      params: { ...Object.fromEntries(own), ...params },
      query,
      header: (name) => all[name],
      clientAddress: '192.0.2.1',
      body,
    }
    const route = routes.get(template.replaceAll(/\{(\w+)\}/g, ':$1'))
    if (route === undefined) throw new TypeError(`no route ${template}`)
    return route.handle(request)
  }
  return { ask, paths: new Set(routes.keys()) }
}

/** The paths of the OpenAPI document. */
export async function readDocument(ask: Ask): Promise<{
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}> {
  return JSON.parse(String((await ask('GET', '/v2/openapi.json')).body))
}

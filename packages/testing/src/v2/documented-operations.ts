import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'
import type { OpenApiCheck } from './open-api-check.js'

/** Examples for resources that the task boards of the suite don't have: by operation id, the body in its place. */
const ownBodies: Readonly<Record<string, object>> = {
  createNotificationChannel: {
    type: SUITE_CHANNEL_TYPE,
    name: 'A channel',
    config: { room: 'a room' },
    events: ['task.created'],
  },
}

/** An operation of an OpenAPI document, with a body that passes all checks except whether what it names exists. */
export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  /** The scope that it requires, `any` or `none`. */
  readonly scope: string
  readonly userOnly: boolean
  readonly pathIds: readonly string[]
  readonly queryIds: readonly string[]
  readonly bodyIds: readonly { readonly name: string; readonly kind: string; readonly isList: boolean }[]
  /** The JSON Schema of the body; undefined when it takes none. */
  readonly schema: Readonly<Record<string, unknown>> | undefined
  /** What the body may have. */
  readonly members: readonly string[]
  readonly body: object | undefined
}

type BodySchema = Readonly<Record<string, unknown>> & { readonly properties?: object }

interface Described {
  readonly operationId: string
  readonly 'x-scope': string
  readonly 'x-access-token-only'?: boolean
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: BodySchema; readonly example?: object }>>
  }
}

/** Members of bodies and queries that are ids, and of what. */
export const ID_MEMBERS: Readonly<Record<string, { readonly kind: string; readonly isList: boolean }>> = {
  workspace_id: { kind: 'workspace_id', isList: false },
  agent_id: { kind: 'agent_id', isList: false },
  assigned_to: { kind: 'agent_id', isList: false },
  depends_on: { kind: 'task_id', isList: true },
  parent_id: { kind: 'task_id', isList: false },
}

/** The operations of API v2 in the document: operations of other protocols name no scope. */
export function documentedOperations({ document }: OpenApiCheck): readonly DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => 'x-scope' in described)
      .map(([method, described]) =>
        toOperation(path, method.toUpperCase(), described as unknown as Described),
      ),
  )
}

function toOperation(path: string, method: string, described: Described): DocumentedOperation {
  const { operationId: id, parameters, requestBody } = described
  const { schema, example } = requestBody?.content['application/json'] ?? {}
  const members = Object.keys(schema?.properties ?? {})
  return {
    id,
    method,
    path,
    scope: described['x-scope'],
    userOnly: described['x-access-token-only'] === true,
    pathIds: parameters.flatMap((each) => (each.in === 'path' ? [each.name] : [])),
    queryIds: parameters.flatMap((each) =>
      each.in === 'query' && each.name.endsWith('_id') ? [each.name] : [],
    ),
    bodyIds: members.flatMap((name) => {
      const known = ID_MEMBERS[name]
      return known === undefined ? [] : [{ name, ...known }]
    }),
    schema,
    members,
    body: ownBodies[id] ?? example,
  }
}

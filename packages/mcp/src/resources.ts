import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { Answer, BoardCalls } from './board-calls.js'
import { summarize } from './tools/planner-tools.js'

/** What a resource's address names. */
export interface Place {
  readonly kind: 'task' | 'board'
  readonly id: string
}

const ADDRESS = /^(task|board):\/\/([\w-]{1,64})$/

/** The task or the board that an address names; null for any other address. */
export function parsePlace(uri: string): Place | null {
  const [, kind, id] = ADDRESS.exec(uri) ?? []
  return kind === undefined || id === undefined ? null : { kind: kind as Place['kind'], id }
}

/** The addresses that a request `subscriptions/listen` wants to follow, of those that can exist. */
export function wantedPlaces(listen: object): ReadonlySet<string> {
  const { params } = listen as { readonly params?: { readonly notifications?: Answer } | null }
  const uris: unknown = params?.notifications?.['resourceSubscriptions']
  const texts = Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : []
  return new Set(texts.filter((uri) => parsePlace(uri) !== null))
}

/** The addresses that an event of the board changes. */
export function changedPlaces(workspaceId: string, taskId: string | undefined): readonly string[] {
  return taskId === undefined ? [`board://${workspaceId}`] : [`task://${taskId}`, `board://${workspaceId}`]
}

/** Of an address in an error. */
const LONGEST_SHOWN = 200

const JSON_TYPE = 'application/json'

export const resourceTemplates = [
  {
    uriTemplate: 'task://{id}',
    name: 'task',
    description: 'A task with its log and its outputs.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'board://{workspace}',
    name: 'board',
    description: 'Activity in a workspace: up to 10 tasks in progress, waiting, next and done.',
    mimeType: JSON_TYPE,
  },
]

/** The boards that the caller may list by its account; none without the scope `account:read`. */
export async function listBoards(
  board: BoardCalls,
): Promise<readonly { uri: string; name: string; mimeType: string }[]> {
  if (board.scopes !== null && !board.scopes.includes('account:read')) return []
  const { workspaces } = await board.call('getAccount', {}).catch((error: unknown) => {
    // Over HTTP the scopes are known only by what they allow.
    if (board.explain(error).error.code === 'AUTHORIZATION_FAILED') return { workspaces: [] }
    throw error
  })
  return (workspaces as readonly Answer[]).map(({ id, name }) => ({
    uri: `board://${String(id)}`,
    name: String(name),
    mimeType: JSON_TYPE,
  }))
}

/**
 * The JSON of a resource. One beyond the caller's reach looks as if it didn't exist.
 * @throws ProtocolError with the error of API v2 as its data.
 */
export async function readResource(board: BoardCalls, uri: string): Promise<string> {
  const place = parsePlace(uri)
  if (place === null) throw new ResourceNotFoundError(uri.slice(0, LONGEST_SHOWN))
  try {
    return JSON.stringify(await read(board, place))
  } catch (error) {
    throw toProtocolError(board, error)
  }
}

function read(board: BoardCalls, { kind, id }: Place): Promise<Answer> {
  return kind === 'task' ? board.call('getTask', { params: { task_id: id } }) : summarize(board, id)
}

/** A request that fails outside of a tool has no result: its error has the one of API v2 as data. */
export function toProtocolError(board: BoardCalls, error: unknown): ProtocolError {
  const explained = board.explain(error)
  const { code, message } = explained.error
  const isInternal = code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE'
  return new ProtocolError(
    isInternal ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
    message,
    explained,
  )
}

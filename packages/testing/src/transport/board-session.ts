import assert from 'node:assert/strict'
import {
  columns,
  createTaskboard,
  defineAgent,
  type Scope,
  type Storage,
  type Task,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import { virtualClock, type VirtualClock } from '../clock/virtual-clock.js'
import { sendRequest, type ClientRequest, type ClientResponse } from './http-client.js'
import type {
  MountedHost,
  TransportCase,
  TransportConformanceOptions,
  TransportHost,
} from './transport-case.js'

/** The environment of a case: a task board on a virtual clock, behind a listening host. */
export interface BoardSession {
  readonly taskboard: Taskboard
  readonly clock: VirtualClock
  readonly host: MountedHost
  readonly workspaceId: string
  /** A key with every scope of the board API. */
  readonly key: string
  /** Makes a key, for the session's workspace unless another is named. */
  makeKey(scopes?: readonly Scope[], workspaceId?: string): Promise<{ id: string; key: string }>
  /** Another account's workspace. */
  makeWorkspace(): Promise<string>
  /** Sends a request; with the session's key unless it has an `authorization` header (an empty one sends none). */
  request(request: ClientRequest): Promise<ClientResponse>
  /** GETs an action that reads, POSTs one that has a body. */
  action(action: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ClientResponse>
  /** The tasks of the workspace, read through the library. */
  storedTasks(): Promise<readonly Task[]>
}

export const BOARD = '/api/board'
export const WEBHOOKS = '/api/webhooks/create'
export const boardScopes: readonly Scope[] = ['tasks:read', 'tasks:write', 'chat:write', 'webhooks:write']

export interface SessionOptions {
  readonly host?: Partial<TransportHost>
  readonly taskboard?: Partial<TaskboardOptions>
  /** Replaces the storage. */
  readonly wrapStorage?: (storage: Storage) => Storage
}

const chatAgent = defineAgent({
  type: 'conformance',
  run: () => Promise.resolve(''),
  chat: (message, { user }) => Promise.resolve(`${user ?? 'nobody'} said: ${message}`),
})

/** A case that opens its own session, and always closes it. */
export function sessionCase(
  { storage, mount }: TransportConformanceOptions,
  id: string,
  name: string,
  check: (session: BoardSession) => Promise<void>,
  { host, taskboard: options, wrapStorage = (stored) => stored }: SessionOptions = {},
): TransportCase {
  return {
    id,
    name,
    async run() {
      const clock = virtualClock()
      const taskboard = createTaskboard({
        storage: wrapStorage(storage()),
        clock,
        agents: [chatAgent],
        logger: false,
        ...options,
      })
      const mounted = await mount(taskboard, {
        mountPath: '',
        bodies: 'unread',
        notFound: 'host',
        routes: [],
        ...host,
      })
      try {
        await check(await openSession(taskboard, clock, mounted))
      } finally {
        await mounted.close()
        await taskboard.close()
      }
    },
  }
}

async function openSession(
  taskboard: Taskboard,
  clock: VirtualClock,
  host: MountedHost,
): Promise<BoardSession> {
  const makeWorkspace = async (): Promise<string> => {
    const { workspace } = await taskboard.accounts.create({ name: 'conformance', tier: 'professional' })
    return workspace.id
  }
  const workspaceId = await makeWorkspace()
  const makeKey: BoardSession['makeKey'] = (scopes = boardScopes, workspace = workspaceId) =>
    taskboard.accounts.createKey({ workspaceId: workspace, name: 'conformance', scopes: [...scopes] })
  const { key } = await makeKey()

  const request: BoardSession['request'] = ({ headers = {}, ...rest }) => {
    const all = { authorization: `Bearer ${key}`, ...headers }
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
    return sendRequest(host.url, { ...rest, headers: present })
  }
  return {
    taskboard,
    clock,
    host,
    workspaceId,
    key,
    makeKey,
    makeWorkspace,
    request,
    action: (action, body, headers) =>
      request({
        method: body === undefined ? 'GET' : 'POST',
        path: `${BOARD}?action=${action}`,
        body,
        headers,
      }),
    async storedTasks() {
      const lists = await Promise.all(columns.map((column) => taskboard.board(workspaceId).list(column)))
      return lists.flatMap(({ tasks }) => tasks)
    },
  }
}

/** The response is an error: this status and code, a text for people, and nothing else. */
export function assertRefused(answer: ClientResponse, status: number, code: string): void {
  const body = answer.json()
  assert.deepEqual({ status: answer.status, code: body['code'] }, { status, code }, answer.text)
  assert.deepEqual(Object.keys(body).toSorted(), ['code', 'error', 'success'])
  assert.equal(body['success'], false)
  assert.equal(typeof body['error'], 'string')
  assert.notEqual(body['error'], '')
  assertHeaders(answer)
}

/** The answer is a success; returns its body. */
export function assertDone(answer: ClientResponse): Record<string, unknown> {
  assert.equal(answer.status, 200, answer.text)
  assertHeaders(answer)
  const body = answer.json()
  assert.equal(body['success'], true)
  return body
}

function assertHeaders({ headers, text }: ClientResponse): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
}

/** Adds a task and returns what the answer says of it. */
export async function addTask(
  session: BoardSession,
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown> & { id: string }> {
  const { task } = assertDone(await session.action('add', body))
  return task as Record<string, unknown> & { id: string }
}

/** Lists a column and returns its tasks. */
export async function listTasks(session: BoardSession, query: string): Promise<Record<string, unknown>[]> {
  const { tasks } = assertDone(await session.request({ path: `${BOARD}?action=${query}` }))
  return tasks as Record<string, unknown>[]
}

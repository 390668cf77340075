import assert from 'node:assert/strict'
import {
  createTaskboard,
  defineAgent,
  scopes,
  type Scope,
  type Storage,
  type Taskboard,
} from '@taskboard/core'
import { virtualClock, type VirtualClock } from '../clock/virtual-clock.js'
import { sendRequest, type ClientResponse } from '../transport/http-client.js'
import type { MountedHost } from '../transport/transport-case.js'
import type { EnterpriseCase, EnterpriseCheck, EnterpriseConformanceOptions } from './enterprise-case.js'
import { PASSWORD, withLogin } from './login-options.js'
import { openApiCheck, type OpenApiCheck } from './open-api-check.js'

/** An account that a case can act for. */
export interface Tenant {
  readonly accountId: string
  /** Its first workspace. */
  readonly workspaceId: string
  /** A key with every scope that reaches the whole account. */
  readonly key: string
  /** The owner's access token, good for 15 minutes of the clock; empty without a login of the board's own. */
  readonly token: string
}

export interface SendOptions {
  /** The credential; null sends none. Default: the session's own key. */
  readonly as?: string | null | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a case has at hand: a task board on a virtual clock behind a listening host, an account of its own and a stranger's. */
export interface EnterpriseSession extends Tenant {
  readonly taskboard: Taskboard
  readonly storage: Storage
  readonly clock: VirtualClock
  readonly host: MountedHost
  readonly stranger: Tenant
  readonly openApi: OpenApiCheck
  /** Makes a key of the session's account, for one workspace or (without) for all. */
  makeKey(only: readonly Scope[], workspaceId?: string): Promise<{ id: string; key: string }>
  /** Sends a request below `/v2` and holds the answer against the OpenAPI document. */
  send(method: string, path: string, options?: SendOptions): Promise<ClientResponse>
}

/** The agent type that the suite's task boards know; it is never started. */
export const SUITE_AGENT_TYPE = 'conformance'

const agent = defineAgent({ type: SUITE_AGENT_TYPE, run: () => Promise.resolve('') })

/** A case that opens a storage, a host and a session of its own, and closes them whatever happens. */
export function toEnterpriseCase(
  { open, mount }: EnterpriseConformanceOptions,
  { id, name, check, options }: EnterpriseCheck,
): EnterpriseCase {
  return {
    id,
    name,
    async run() {
      const clock = virtualClock()
      const opened = await open()
      const taskboard = createTaskboard({
        storage: opened.storage,
        clock,
        agents: [agent],
        secrets: { encryptionKey: '0'.repeat(64) },
        ...withLogin,
        ...options,
      })
      const host = await mount(taskboard, { mountPath: '', bodies: 'unread' })
      try {
        await check(await openSession(taskboard, opened.storage, clock, host))
      } finally {
        await host.close()
        await taskboard.close()
        await opened.close()
      }
    },
  }
}

async function openSession(
  taskboard: Taskboard,
  storage: Storage,
  clock: VirtualClock,
  host: MountedHost,
): Promise<EnterpriseSession> {
  const own = await makeTenant(taskboard, 'Acme')
  const stranger = await makeTenant(taskboard, 'Stranger')
  const openApi = openApiCheck((await sendRequest(host.url, { path: '/v2/openapi.json' })).text)
  return {
    taskboard,
    storage,
    clock,
    host,
    ...own,
    stranger,
    openApi,
    makeKey: (only, workspaceId) =>
      taskboard.accounts.createKey({
        ...(workspaceId === undefined ? { accountId: own.accountId } : { workspaceId }),
        name: 'conformance',
        scopes: [...only],
      }),
    async send(method, path, { as = own.key, body, headers } = {}) {
      const credential = as === null ? {} : { authorization: `Bearer ${as}` }
      const answer = await sendRequest(host.url, {
        method,
        path,
        body,
        headers: { ...credential, ...headers },
      })
      if (method !== 'HEAD') openApi.assertPromised(method, path.split('?')[0] ?? '', answer)
      return answer
    },
  }
}

async function makeTenant(taskboard: Taskboard, name: string): Promise<Tenant> {
  const email = `owner@${name.toLowerCase()}.example`
  const owner = { email, password: PASSWORD }
  const { account, workspace } = await taskboard.accounts.create({ name, tier: 'enterprise', owner })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'all',
    scopes: [...scopes],
  })
  const login = await taskboard.surface.login?.sessions.login(owner, { clientAddress: '192.0.2.1' })
  return { accountId: account.id, workspaceId: workspace.id, key, token: login?.accessToken ?? '' }
}

/** The answer is an error with this status and code, about this field. */
export function assertError(answer: ClientResponse, status: number, code: string, field?: string): void {
  const { error } = answer.json() as { error?: { code: string; details: { field: string } } }
  assert.deepEqual({ status: answer.status, code: error?.code }, { status, code }, answer.text)
  if (field !== undefined) assert.equal(error?.details.field, field, answer.text)
}

/** The answer is a success with this status; returns its body. */
export function assertAnswer(answer: ClientResponse, status = 200): Record<string, unknown> {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['cache-control'], 'no-store')
  return status === 204 ? {} : answer.json()
}

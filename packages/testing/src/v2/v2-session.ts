import assert from 'node:assert/strict'
import type { Scope, Storage, Taskboard } from '@taskboard/core'
import type { VirtualClock } from '../clock/virtual-clock.js'
import type { ClientResponse } from '../transport/http-client.js'
import type { MountedHost } from '../transport/transport-case.js'
import type { OpenApiCheck } from './open-api-check.js'

/** An account that a case can act for. */
export interface Tenant {
  readonly accountId: string
  /** Its first workspace. */
  readonly workspaceId: string
  /** A key with every scope that reaches the whole account. */
  readonly key: string
  /** The owner's access token, valid for 15 minutes of the clock; empty without the board's own login. */
  readonly token: string
}

export interface SendOptions {
  /** The credential; null sends none. Default: the session's own key. */
  readonly as?: string | null | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The environment of a case: a task board on a virtual clock behind a listening host, its own account and a stranger's. */
export interface V2Session extends Tenant {
  readonly taskboard: Taskboard
  readonly storage: Storage
  readonly clock: VirtualClock
  readonly host: MountedHost
  readonly stranger: Tenant
  readonly openApi: OpenApiCheck
  /** Creates a key of the session's account, for one workspace or (without) for all. */
  makeKey(only: readonly Scope[], workspaceId?: string): Promise<{ id: string; key: string }>
  /** Sends a request below `/v2` and checks the response against the OpenAPI document. */
  send(method: string, path: string, options?: SendOptions): Promise<ClientResponse>
}

/** The agent type that the suite's task boards know; it is never started. */
export const SUITE_AGENT_TYPE = 'conformance'

/** The chat message that the suite's agent doesn't reply to. */
export const UNANSWERED = 'say nothing'

/** Chat messages that the suite's agent carries out. */
export const chatCommands = { list: 'how many are left?', add: 'add one', use: 'use a model' } as const
/** What it then reports. */
export const chatUsage = { model: 'small', inputTokens: 100, outputTokens: 10 }

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
  if (status !== 204) return answer.json()
  assert.equal(answer.headers['content-length'], undefined)
  return {}
}

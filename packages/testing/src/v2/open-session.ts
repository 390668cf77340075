import { createTaskboard, defineAgent, scopes, type Storage, type Taskboard } from '@taskboard/core'
import { virtualClock, type VirtualClock } from '../clock/virtual-clock.js'
import { sendRequest } from '../transport/http-client.js'
import type { MountedHost } from '../transport/transport-case.js'
import type { V2Case, V2Check, V2ConformanceOptions } from './v2-case.js'
import {
  chatCommands,
  chatUsage,
  SUITE_AGENT_TYPE,
  UNANSWERED,
  type V2Session,
  type Tenant,
} from './v2-session.js'
import { PASSWORD, withLogin } from './login-options.js'
import { suiteChannelType } from './suite-channel-type.js'
import { openApiCheck, type OpenApiCheck } from './open-api-check.js'

const agent = defineAgent({
  type: SUITE_AGENT_TYPE,
  run: () => Promise.resolve(''),
  async chat(message, { user, board, usage }) {
    if (message === UNANSWERED) throw new Error('no reply')
    if (message === chatCommands.list) return String((await board.list('TODO')).tasks.length)
    if (message === chatCommands.add) return (await board.add({ title: 'From a chat' })).id
    if (message === chatCommands.use) return String((await usage(chatUsage)).spent)
    return `${user ?? 'someone'} said: ${message}`
  },
})

/** The OpenAPI documents of a suite's hosts, by the options of their task boards. */
export type ServedDocuments = Map<V2Check['options'], OpenApiCheck>

/** A case that opens its own storage, host and session, and always closes them. */
export function toV2Case(
  { open, mount }: V2ConformanceOptions,
  { id, name, check, options }: V2Check,
  documents: ServedDocuments,
): V2Case {
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
        notifications: [suiteChannelType],
        logger: false,
        secrets: { encryptionKey: '0'.repeat(64) },
        ...withLogin,
        ...options,
      })
      const host = await mount(taskboard, { mountPath: '', bodies: 'unread', notFound: 'host', routes: [] })
      // As if a runtime were at work in another process: the tasks of the suite stay where they are.
      await opened.storage.agents.reportPresence({ agentTypes: ['*'], liveMs: null }, { now: clock.now() })
      try {
        const openApi = documents.get(options) ?? (await servedDocument(host))
        documents.set(options, openApi)
        await check(await openSession(taskboard, opened.storage, clock, host, openApi))
      } finally {
        await host.close()
        await taskboard.close()
        await opened.close()
      }
    },
  }
}

async function servedDocument(host: MountedHost): Promise<OpenApiCheck> {
  return openApiCheck((await sendRequest(host.url, { path: '/v2/openapi.json' })).text)
}

async function openSession(
  taskboard: Taskboard,
  storage: Storage,
  clock: VirtualClock,
  host: MountedHost,
  openApi: OpenApiCheck,
): Promise<V2Session> {
  const own = await makeTenant(taskboard, 'Acme')
  const stranger = await makeTenant(taskboard, 'Stranger')
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
  const login = await taskboard.services.login?.sessions.login(owner, { clientAddress: '192.0.2.1' })
  return { accountId: account.id, workspaceId: workspace.id, key, token: login?.accessToken ?? '' }
}

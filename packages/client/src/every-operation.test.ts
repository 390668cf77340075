import { beforeAll, describe, expect, it } from 'vitest'
import { formattedWire, wireFile } from '../scripts/formatted-wire.js'
import { pythonFiles } from '../scripts/python-files.js'
import { type DocumentedOperation, type Document, operationsOf } from '../scripts/wire-source.js'
import { readdir, readFile } from 'node:fs/promises'
import { readDocument } from '../test/documented-board.js'
import { methodsOf, type RecordedCall, recordCalls } from '../test/recorded-calls.js'
import { createClient, type OperationId, type Operations, type TaskboardClient } from './index.js'

/** The operation of each method. */
const operationOf: Readonly<Record<string, OperationId>> = {
  'tasks.create': 'createTask',
  'tasks.createMany': 'createTasks',
  'tasks.list': 'listTasks',
  'tasks.listAll': 'listTasks',
  'tasks.get': 'getTask',
  'tasks.logs': 'listTaskLogLines',
  'tasks.allLogs': 'listTaskLogLines',
  'tasks.attempts': 'listAttempts',
  'tasks.score': 'getTaskScore',
  'tasks.update': 'updateTask',
  'tasks.delete': 'deleteTask',
  'tasks.move': 'moveTask',
  'tasks.cancel': 'cancelTask',
  'tasks.release': 'releaseTask',
  'tasks.answer': 'answerTask',
  'tasks.comment': 'createComment',
  'tasks.comments': 'listComments',
  'tasks.allComments': 'listComments',
  'tasks.claim': 'claimTask',
  'tasks.heartbeat': 'heartbeatTask',
  'tasks.progress': 'reportTaskProgress',
  'tasks.log': 'addTaskLogLine',
  'tasks.output': 'addTaskOutput',
  'tasks.delegate': 'delegateTask',
  'tasks.usage': 'reportTaskUsage',
  'tasks.hold': 'holdTask',
  'tasks.complete': 'completeTask',
  'tasks.fail': 'failTask',
  'tasks.approvals.request': 'requestApproval',
  'approvals.list': 'listApprovals',
  'approvals.listAll': 'listApprovals',
  'approvals.get': 'getApproval',
  'approvals.decide': 'decideApproval',
  'schedules.create': 'createSchedule',
  'schedules.list': 'listSchedules',
  'schedules.listAll': 'listSchedules',
  'schedules.get': 'getSchedule',
  'schedules.update': 'updateSchedule',
  'schedules.delete': 'deleteSchedule',
  'agents.create': 'createAgent',
  'agents.list': 'listAgents',
  'agents.listAll': 'listAgents',
  'agents.get': 'getAgent',
  'agents.update': 'updateAgent',
  'agents.delete': 'deleteAgent',
  'agents.setBudget': 'setAgentBudget',
  'budgets.list': 'listBudgets',
  'budgets.listAll': 'listBudgets',
  'chat.send': 'sendChatMessage',
  'analytics.tasks': 'getTaskAnalytics',
  'analytics.usage': 'getUsage',
  'analytics.allUsage': 'getUsage',
  'webhooks.create': 'createWebhook',
  'webhooks.list': 'listWebhooks',
  'webhooks.get': 'getWebhook',
  'webhooks.update': 'updateWebhook',
  'webhooks.delete': 'deleteWebhook',
  'webhooks.rotateSecret': 'rotateWebhookSecret',
  'webhooks.test': 'testWebhook',
  'webhooks.deliveries': 'listDeliveries',
  'webhooks.allDeliveries': 'listDeliveries',
  'webhooks.resend': 'resendDeliveries',
  'notificationChannels.create': 'createNotificationChannel',
  'notificationChannels.list': 'listNotificationChannels',
  'notificationChannels.listAll': 'listNotificationChannels',
  'notificationChannels.types': 'listNotificationChannelTypes',
  'notificationChannels.get': 'getNotificationChannel',
  'notificationChannels.update': 'updateNotificationChannel',
  'notificationChannels.delete': 'deleteNotificationChannel',
  'notificationChannels.test': 'testNotificationChannel',
  'account.get': 'getAccount',
  'account.setPassword': 'changePassword',
  'members.list': 'listMembers',
  'members.create': 'createMember',
  'members.delete': 'deleteMember',
  'account.mfa.begin': 'beginMfa',
  'account.mfa.confirm': 'confirmMfa',
  'account.mfa.remove': 'removeMfa',
  'apiKeys.create': 'createApiKey',
  'apiKeys.list': 'listApiKeys',
  'apiKeys.listAll': 'listApiKeys',
  'apiKeys.revoke': 'revokeApiKey',
  'apiKeys.rotate': 'rotateApiKey',
  'workspaces.create': 'createWorkspace',
  'workspaces.get': 'getWorkspace',
  'workspaces.update': 'updateWorkspace',
  'workspaces.delete': 'deleteWorkspace',
  'workspaces.setBudget': 'setWorkspaceBudget',
  'auth.login': 'login',
  'auth.refresh': 'refreshTokens',
  'auth.logout': 'logout',
  'board.todo': 'listBoardTasks',
  'board.doing': 'listBoardTasks',
  'board.done': 'listBoardTasks',
  'board.add': 'writeToBoard',
  'board.move': 'writeToBoard',
  'board.chat': 'writeToBoard',
  'board.registerWebhook': 'registerWebhook',
  openapi: 'getOpenApi',
  reference: 'getReference',
}

/** Methods that send something else, or nothing by themselves. */
const others = new Set(['graphql', 'realtime.subscribe', 'worker'])

type IsAny<Type> = 0 extends 1 & Type ? true : false

/** The names of the members whose type is `any`, or a function that takes or returns it. */
type AnyIn<Type> = {
  [Name in keyof Type]: IsAny<Type[Name]> extends true
    ? Name
    : Type[Name] extends (...args: infer Args) => infer Result
      ? true extends IsAny<Args[number]> | IsAny<Result> | IsAny<Awaited<Result>>
        ? Name
        : never
      : Type[Name] extends object
        ? AnyIn<Type[Name]>
        : never
}[keyof Type]

/** The operations that take or answer `any`. */
type AnyOperation = {
  [Id in OperationId]: true extends IsAny<Operations[Id]['answer' | 'body' | 'query']> ? Id : never
}[OperationId]

/** Does not compile when there is one. */
const withoutAny: [AnyIn<TaskboardClient>, AnyOperation] extends [never, never] ? true : never = true

describe('the methods of the client', () => {
  let document: Document
  let operations: ReadonlyMap<string, DocumentedOperation>
  let calls: readonly RecordedCall[]

  beforeAll(async () => {
    document = await readDocument()
    operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]))
    calls = await recordCalls(others)
  })

  it('are typed from the OpenAPI document as it is (if not: npm run generate -w packages/client)', async () => {
    expect(await readFile(wireFile, 'utf8')).toBe(await formattedWire(document))
    for (const [file, text] of Object.entries(await pythonFiles(document))) {
      expect(await readFile(file, 'utf8')).toBe(text)
    }
  })

  it('cover every operation of the document, and each is one', () => {
    const documented = [...operations.keys()].toSorted()
    expect([...new Set(Object.values(operationOf))].toSorted()).toEqual(documented)
    expect(documented.length).toBeGreaterThan(75)
  })

  it('are all called here', () => {
    const client = createClient({ baseUrl: 'http://board.example' })
    const names = methodsOf(client, '').map(([name]) => name)
    expect([...Object.keys(operationOf), ...others].toSorted()).toEqual(names.toSorted())
    expect(calls.map(({ name }) => name).toSorted()).toEqual(Object.keys(operationOf).toSorted())
  })

  it('send the method and the path of their operation, with the ids in order', () => {
    const sent = calls.map(({ name, method, path }) => [name, `${method} ${path}`])
    const documented = calls.map(({ name }) => {
      const { method, path } = operations.get(operationOf[name] ?? '') ?? {}
      let ids = 0
      return [name, `${method} ${path?.replaceAll(/\{\w+\}/g, () => `id${(ids += 1)}`)}`]
    })
    expect(sent).toEqual(documented)
  })

  it('send a body where their operation has one, and the action of the board API', () => {
    const sent = calls.filter(({ body }) => body !== undefined).map(({ name }) => name)
    const documented = calls.filter(({ name }) => operations.get(operationOf[name] ?? '')?.requestBody)
    expect(sent).toEqual(documented.map(({ name }) => name))
    const actions = calls.flatMap(({ name, query }) => (query === '' ? [] : [[name, query]]))
    const columns = ['todo', 'doing', 'done', 'add', 'move', 'chat']
    expect(actions).toEqual(columns.map((action) => [`board.${action}`, `?action=${action}`]))
  })

  it('are named in the README', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const [, table = ''] = /## Methods([\s\S]*?)\n## /.exec(readme) ?? []
    const named = Object.keys(operationOf).flatMap((name) => {
      const [group = '', ...rest] = name.split('.')
      return rest.length === 0 ? [`\`${name}(`] : [`\`${group}\``, `\`${rest.join('.')}\``]
    })
    expect(named.filter((name) => !table.includes(name))).toEqual([])
  })

  it('have a doc comment each', async () => {
    const folder = new URL('./methods/', import.meta.url)
    const undocumented: string[] = []
    let count = 0
    for (const file of await readdir(folder)) {
      const lines = (await readFile(new URL(file, folder), 'utf8')).split('\n')
      for (const [index, line] of lines.entries()) {
        if (!/^ +\w+: (method|all)\('/.test(line) || file === 'board-methods.ts') continue
        count += 1
        if (!lines[index - 1]?.endsWith('*/')) undocumented.push(`${file}: ${line.trim()}`)
      }
    }
    expect(undocumented).toEqual([])
    expect(count).toBeGreaterThan(70)
  })

  it('have no any in their types', async () => {
    expect(withoutAny).toBe(true)
    const code = (await readFile(wireFile, 'utf8')).replaceAll(/\/\*.*?\*\//gs, '')
    expect(code).not.toMatch(/\bany\b/)
  })
})

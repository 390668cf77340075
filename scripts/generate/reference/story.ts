import { TOTP } from 'otpauth'
import type { ExampleBoard } from './example-board.js'
import { OWNER } from './example-board.js'
import type { ExchangeRecorder } from './exchanges.js'

type Values = Readonly<Record<string, string>>
/** A step has what it needs of the others in the order below. */
type Step = (recorder: ExchangeRecorder, board: ExampleBoard) => Promise<void>

const valuesOf = (answer: unknown): Values => answer as Values
const tokenOf = (answer: unknown): string => valuesOf(answer)['access_token'] ?? ''
const idOf = (answer: unknown, member?: string): string =>
  valuesOf(member === undefined ? answer : (answer as Readonly<Record<string, unknown>>)[member])['id'] ?? ''

const logIn = async ({ prepare }: ExchangeRecorder, password = OWNER.password): Promise<Values> =>
  valuesOf(await prepare({ method: 'POST', path: '/v2/auth/login', body: { ...OWNER, password } }))

const sessions: Step = async (recorder) => {
  const { run, setUser } = recorder
  setUser(tokenOf(await run('login', { as: 'none' })))
  await run('stepUp', { as: 'user' })
  const { refresh_token: first } = await logIn(recorder)
  const { refresh_token: last } = valuesOf(
    await run('refreshTokens', { as: 'none', real: { refresh_token: first } }),
  )
  await run('logout', { as: 'none', real: { refresh_token: last } })
  await logIn(recorder)
  const { sessions: open } = (await run('listSessions', { as: 'user' })) as {
    readonly sessions: readonly { readonly id: string; readonly current: boolean }[]
  }
  await run('endSession', {
    as: 'user',
    params: { session_id: open.find(({ current }) => !current)?.id ?? '' },
  })
  await run('endOtherSessions', { as: 'user' })
}

const members: Step = async ({ run }) => {
  const { invitation } = (await run('createMember', { as: 'user' })) as {
    readonly invitation: { readonly link: string }
  }
  const token = invitation.link.split('invitation=')[1]
  await run('listInvitations', { as: 'user' })
  await run('showInvitation', { as: 'none', real: { token } })
  await run('acceptInvitation', { as: 'none', real: { token } })
  const { members: all } = (await run('listMembers', { as: 'user' })) as {
    readonly members: readonly { readonly id: string; readonly email: string }[]
  }
  const params = { user_id: all.find(({ email }) => email !== OWNER.email)?.id ?? '' }
  await run('updateMember', { as: 'user', params })
  await run('deleteMember', { as: 'user', params })
}

const workspaces: Step = async ({ run }) => {
  await run('getAccount', { as: 'user' })
  const params = { workspace_id: idOf(await run('createWorkspace', { as: 'user' })) }
  await run('getWorkspace', { as: 'user', params })
  await run('updateWorkspace', { as: 'user', params })
  await run('deleteWorkspace', { as: 'user', params })
}

const apiKeys: Step = async ({ run }) => {
  const params = { key_id: idOf(await run('createApiKey', { as: 'user' })) }
  await run('listApiKeys', { as: 'user', query: { limit: '10' } })
  await run('rotateApiKey', { as: 'user', params })
  await run('revokeApiKey', { as: 'user', params })
}

const boardApi: Step = async ({ run }) => {
  const { task } = await run('board.add', { as: 'key' })
  await run('board.todo', { as: 'key', query: { limit: '100' } })
  await run('board.chat', { as: 'key' })
  await run('board.move', { as: 'key', real: { task_id: idOf(task) } })
  await run('board.doing', { as: 'key' })
  await run('board.done', { as: 'key' })
  await run('registerWebhook', { as: 'key' })
}

const tasks: Step = async ({ run }, { clock }) => {
  const params = { task_id: idOf(await run('createTask', { as: 'key' })) }
  await run('createTasks', { as: 'key' })
  await run('listTasks', { as: 'key', query: { status: 'pending', limit: '1' } })
  await run('getTask', { as: 'key', params })
  await run('getTaskScore', { as: 'key', params })
  await clock.advance({ minutes: 1 })
  await run('updateTask', { as: 'key', params })
  await run('createComment', { as: 'key', params })
  await run('listComments', { as: 'key', params })
  await run('moveTask', { as: 'key', params })
  await run('cancelTask', { as: 'key', params })
  await run('releaseTask', { as: 'key', params })
  await run('deleteTask', { as: 'key', params })
}

/** An agent works on one task after the other. */
const work: Step = async ({ run, prepare }, board) => {
  const agent = { agent_id: idOf(await run('createAgent', { as: 'key' })) }
  await run('listAgents', { as: 'key' })
  await run('getAgent', { as: 'key', params: agent })
  const claimed = async (answer: Promise<unknown>) => {
    const { task } = (await answer) as {
      readonly task: { readonly id: string; readonly fencing_token: number }
    }
    return { params: { task_id: task.id }, real: { fencing_token: task.fencing_token } }
  }
  const claim = { method: 'POST', path: '/v2/tasks/claim', credential: board.key, body: agent }
  const first = { as: 'key', ...(await claimed(run('claimTask', { as: 'key', real: agent }))) } as const
  await board.clock.advance({ seconds: 20 })
  for (const id of [
    'heartbeatTask',
    'reportTaskProgress',
    'addTaskLogLine',
    'addTaskOutput',
    'reportTaskUsage',
  ])
    await run(id, first)
  await run('listTaskLogLines', { as: 'key', params: first.params })
  await run('holdTask', first)
  const link = { as: 'key', real: { user_id: board.userId } } as const
  await run('sendQuestionLink', { ...link, params: first.params })
  await run('answerTask', { as: 'user', params: first.params })
  const second = { as: 'key', ...(await claimed(prepare(claim))) } as const
  const { approval } = await run('requestApproval', second)
  await run('listApprovals', { as: 'key', query: { status: 'pending' } })
  const one = { as: 'user', params: { approval_id: idOf(approval) } } as const
  await run('getApproval', one)
  await run('sendApprovalLink', { ...link, params: one.params })
  await run('decideApproval', one)
  const third = { as: 'key', ...(await claimed(prepare(claim))) } as const
  await run('completeTask', third)
  await run('listAttempts', { as: 'key', params: third.params })
  const fourth = { as: 'key', ...(await claimed(prepare(claim))) } as const
  const tooMuch = { model: 'small', input_tokens: 1, output_tokens: 1, cost_usd: 100, ...fourth.real }
  await prepare({
    method: 'POST',
    path: `/v2/tasks/${fourth.params.task_id}/usage`,
    credential: board.key,
    body: tooMuch,
  })
  await run('delegateTask', fourth)
  await run('failTask', { as: 'key', ...(await claimed(prepare(claim))) })
  await run('updateAgent', { as: 'key', params: agent })
  await run('setAgentBudget', { as: 'user', params: agent })
  await run('setWorkspaceBudget', { as: 'user', params: { workspace_id: board.workspaceId } })
  await run('listBudgets', { as: 'key' })
  await run('correctUsage', { as: 'user' })
  await run('getUsage', { as: 'key', query: { from: '2026-11-01', to: '2026-11-30', group_by: 'model' } })
  await run('getTaskAnalytics', { as: 'key', query: { from: '2026-11-01', to: '2026-11-02' } })
  await run('sendChatMessage', { as: 'key' })
  await run('deleteAgent', { as: 'key', params: agent })
}

const schedules: Step = async ({ run }) => {
  const params = { schedule_id: idOf(await run('createSchedule', { as: 'key' })) }
  await run('listSchedules', { as: 'key' })
  await run('getSchedule', { as: 'key', params })
  await run('updateSchedule', { as: 'key', params })
  await run('deleteSchedule', { as: 'key', params })
}

const webhooks: Step = async ({ run, prepare }, { clock, key }) => {
  const params = { webhook_id: idOf(await run('createWebhook', { as: 'key' })) }
  await run('listWebhooks', { as: 'key' })
  await run('getWebhook', { as: 'key', params })
  await run('updateWebhook', { as: 'key', params })
  await run('rotateWebhookSecret', { as: 'key', params })
  await run('testWebhook', { as: 'key', params })
  await prepare({ method: 'POST', path: '/v2/tasks', credential: key, body: { title: 'Read the offers' } })
  await clock.advance({ seconds: 2 })
  const { deliveries } = (await run('listDeliveries', { as: 'key', params })) as {
    readonly deliveries: readonly { readonly id: string }[]
  }
  await run('resendDeliveries', { as: 'key', params, real: { delivery_id: deliveries[0]?.id } })
  await run('deleteWebhook', { as: 'key', params })
}

const channels: Step = async ({ run }) => {
  await run('listNotificationChannelTypes', { as: 'key' })
  const params = { channel_id: idOf(await run('createNotificationChannel', { as: 'key' })) }
  await run('listNotificationChannels', { as: 'key' })
  await run('getNotificationChannel', { as: 'key', params })
  await run('updateNotificationChannel', { as: 'key', params })
  await run('testNotificationChannel', { as: 'key', params })
  await run('deleteNotificationChannel', { as: 'key', params })
}

const messengers: Step = async ({ run }, board) => {
  await run('createMessengerCode', { as: 'user' })
  const { linkId, conversationId } = await board.connectMessenger()
  await run('listMessengers', { as: 'user' })
  await run('deleteMessengerLink', { as: 'user', params: { messenger_link_id: linkId } })
  await run('listMessengerConversations', { as: 'key' })
  await run('deleteMessengerConversation', { as: 'key', params: { conversation_id: conversationId } })
}

/** What ends sessions and keys comes last. */
const endings: Step = async (recorder, { clock }) => {
  const { run, prepare, setUser } = recorder
  const user = tokenOf(await logIn(recorder))
  setUser(user)
  const invited = { email: 'grace@acme.example', role: 'viewer', show_link: true }
  const { invitation } = await prepare({
    method: 'POST',
    path: '/v2/account/members',
    credential: user,
    body: invited,
  })
  await run('deleteInvitation', { as: 'user', params: { invitation_id: idOf(invitation) } })
  const { secret } = valuesOf(await run('beginMfa', { as: 'user' }))
  const code = () => new TOTP({ secret: secret ?? '' }).generate({ timestamp: clock.now() })
  await run('confirmMfa', { as: 'user', real: { mfa_code: code() } })
  await clock.advance({ minutes: 1 })
  await run('removeMfa', { as: 'user', real: { mfa_code: code() } })
  await run('changePassword', { as: 'user', real: { current_password: OWNER.password } })
  setUser(tokenOf(await logIn(recorder, 'another horse battery')))
  await run('listAudit', { as: 'user', query: { limit: '2' } })
  await run('getOpenApi', { as: 'none' })
  await run('getReference', { as: 'none' })
  await run('revokeCurrentApiKey', { as: 'key' })
}

/** The examples of all operations, in an order in which each finds what it needs. */
export const story: readonly Step[] = [
  sessions,
  members,
  workspaces,
  apiKeys,
  boardApi,
  tasks,
  work,
  schedules,
  webhooks,
  channels,
  messengers,
  endings,
]

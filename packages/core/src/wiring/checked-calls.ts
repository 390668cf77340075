import type { Accounts, Reach } from '../access/index.js'
import type { Agents } from '../agents/index.js'
import type { Analytics } from '../analytics/index.js'
import type { Audit } from '../audit/index.js'
import { cachedBoards, type ApprovalDirectory, type Board, type TaskDirectory } from '../board/index.js'
import type { Channels } from '../channels/index.js'
import { requireKnownFields, TaskboardError } from '../errors/index.js'
import type { Notifications, Publish } from '../events/index.js'
import type { Links } from '../links/index.js'
import type { Usage } from '../usage/index.js'
import type { Webhooks } from '../webhooks/index.js'
import type { ResealedSecrets, ResealOptions } from './reseal.js'

/** The members of a task board that take options. */
interface HostCalls<Tx> {
  readonly accounts: Accounts<Tx>
  readonly audit: Audit<Tx>
  readonly agents: Agents<Tx>
  readonly analytics: Analytics<Tx>
  readonly tasks: TaskDirectory<Tx>
  readonly approvals: ApprovalDirectory<Tx>
  readonly usage: Usage<Tx>
  readonly webhooks: Webhooks<Tx>
  readonly notifications: Notifications<Tx>
  readonly channels: Channels<Tx>
  readonly links: Links<Tx>
  board(workspaceId: string): Board<Tx>
  readonly publish: Publish<Tx>
  resealSecrets(options?: ResealOptions): Promise<ResealedSecrets>
  close(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
}

/** The object arguments of a call, by position, with the names of their members; or the resources that the call reaches. */
type Places = Readonly<Record<number, readonly string[] | 'reach'>>
type NameOf<T> = T extends object ? Extract<keyof T, string> : never
type ArgumentOf<T, M, I> = M extends keyof T
  ? T[M] extends (...args: infer A) => unknown
    ? I extends keyof A
      ? NonNullable<A[I]>
      : I extends number
        ? NonNullable<A[I]>
        : never
    : never
  : never
/** The error of the type checker where a name is missing or unknown. */
type Checked<T, C> = {
  readonly [M in keyof C]: {
    readonly [I in keyof C[M]]: C[M][I] extends readonly (infer N)[]
      ? [Exclude<NameOf<ArgumentOf<T, M, I>>, N>, Exclude<N, NameOf<ArgumentOf<T, M, I>>>] extends [
          never,
          never,
        ]
        ? unknown
        : {
            readonly missing: Exclude<NameOf<ArgumentOf<T, M, I>>, N>
            readonly unknown: Exclude<N, NameOf<ArgumentOf<T, M, I>>>
          }
      : unknown
  }
}
/** Only methods, and of each the objects that nothing else checks: the options, mostly. */
type Calls<T> = { readonly [M in keyof T]?: T[M] extends (...args: never[]) => unknown ? Places : never }

const callsOf =
  <T>() =>
  <const C extends Calls<T>>(calls: C & Checked<T, C>): Calls<T> =>
    calls

const TX = ['tx'] as const
const ONCE = [...TX, 'idempotency'] as const
const RECORDED = [...TX, 'by'] as const
const RECORDED_ONCE = [...RECORDED, 'idempotency'] as const
const WRITE = [...TX, 'actor'] as const
const ADD = [...WRITE, 'idempotency'] as const
const PAGE = ['limit', 'cursor'] as const
const LIST = [...TX, ...PAGE] as const

const ofBoard = callsOf<Board>()({
  add: { 1: ADD },
  addOnce: { 1: ADD },
  addAll: { 1: ADD },
  get: { 1: TX },
  logs: { 1: TX },
  outputs: { 1: TX },
  list: { 1: LIST },
  update: { 2: [...WRITE, 'lowersBudget'] },
  delete: { 1: WRITE },
  move: { 2: WRITE },
  hold: { 2: WRITE },
  cancel: { 1: [...WRITE, 'message'] },
  release: { 1: [...WRITE, 'fencingToken'] },
  claim: { 0: ['agentId', 'leaseMs', 'taskId'], 1: TX },
  heartbeat: { 1: ['fencingToken', 'leaseMs'], 2: TX },
  progress: { 2: TX },
  log: { 2: TX },
  output: { 2: TX },
  usage: { 2: ONCE },
  complete: { 2: WRITE },
  fail: { 2: TX },
  delegate: { 2: ADD },
  comment: { 2: ADD },
  commentOnce: { 2: ADD },
  comments: { 1: LIST },
  ask: { 2: WRITE },
  answer: { 2: ADD },
  answerOnce: { 2: ADD },
  requestApproval: { 2: WRITE },
  approvals: { 1: LIST },
  decide: { 2: [...WRITE, 'by'] },
  chat: { 1: ['caller', 'recheck'] },
})
const ofSchedules = callsOf<Board['schedules']>()({
  create: { 1: RECORDED_ONCE },
  list: { 0: PAGE, 1: TX },
  get: { 1: TX },
  update: { 2: RECORDED },
  delete: { 1: RECORDED },
})
const ofAccounts = callsOf<Accounts>()({
  create: { 1: RECORDED },
  get: { 1: TX },
  list: { 0: [...TX, 'limit'] },
  update: { 2: RECORDED },
  delete: { 1: [...RECORDED, 'wait'] },
  createUser: { 2: RECORDED },
  setPassword: { 2: RECORDED },
  setEmailVerified: { 2: RECORDED },
  deleteUser: { 1: [...RECORDED, 'keepKeys', 'mayBeLast'] },
  resetSecondFactor: { 1: ['by'] },
  setRole: { 3: RECORDED },
  listUsers: { 1: TX },
  createWorkspace: { 2: RECORDED },
  getWorkspace: { 1: TX },
  listWorkspaces: { 1: TX },
  updateWorkspace: { 2: RECORDED },
  deleteWorkspace: { 1: [...RECORDED, 'wait'] },
  createKey: { 1: RECORDED },
  listKeys: { 1: TX },
  revokeKey: { 2: RECORDED },
})
const ofAgents = callsOf<Agents>()({
  create: { 2: ONCE },
  list: { 1: TX },
  get: { 2: TX },
  update: { 3: TX },
  delete: { 2: TX },
  listWithin: { 0: 'reach', 1: [...LIST, 'workspaceId'] },
  findAll: { 0: 'reach', 2: TX },
  find: { 0: 'reach', 2: TX },
})
const ofWebhooks = callsOf<Webhooks>()({
  register: { 2: RECORDED_ONCE },
  list: { 1: TX },
  get: { 2: TX },
  find: { 0: 'reach', 2: TX },
  update: { 3: RECORDED },
  delete: { 2: RECORDED },
  rotateSecret: { 3: RECORDED },
  test: { 2: TX },
  deliveries: { 2: [...LIST, 'status'] },
  resend: { 3: RECORDED },
})
const ofChannels = callsOf<Channels>()({
  create: { 2: RECORDED_ONCE },
  list: { 1: LIST },
  get: { 2: TX },
  find: { 0: 'reach', 2: TX },
  update: { 3: RECORDED },
  delete: { 2: RECORDED },
})
const ofLinks = callsOf<Links>()({ create: { 1: RECORDED } })
const ofUsage = callsOf<Usage>()({
  sum: { 0: 'reach', 1: [...PAGE, 'groupBy', 'from', 'to', 'workspaceId'], 2: TX },
  ofTask: { 3: TX },
  ofTasks: { 1: TX },
  setBudget: { 0: ['workspaceId', 'agentId'], 2: RECORDED },
  correct: { 0: ['workspaceId', 'agentId'], 2: RECORDED_ONCE },
  budgets: { 1: PAGE, 2: TX },
})

const ofAudit = callsOf<Audit>()({ list: { 2: TX } })
const ofAnalytics = callsOf<Analytics>()({ forTasks: { 0: 'reach', 2: TX } })
const ofTasks = callsOf<TaskDirectory>()({
  find: { 0: 'reach', 2: TX },
  locate: { 0: 'reach', 2: TX },
  logs: { 0: 'reach', 2: LIST },
  attempts: { 0: 'reach', 2: TX },
  exchange: { 0: 'reach', 2: TX },
  search: { 0: 'reach', 2: TX },
})
const ofApprovals = callsOf<ApprovalDirectory>()({
  find: { 0: 'reach', 2: TX },
  search: { 0: 'reach', 1: [...LIST, 'status', 'taskId'] },
})
const ofNotifications = callsOf<Notifications>()({
  configure: { 3: RECORDED },
  remove: { 2: RECORDED },
  list: { 1: TX },
})

/**
 * The task board for the host's code, which may be plain JavaScript. An option that a call doesn't have is rejected, so that a misspelled
 * `tx` doesn't leave a call out of its transaction. An empty list means that the workspace exists. Transports call the services, and check
 * what they pass.
 */
export function checkedCalls<Tx, T extends HostCalls<Tx>>(taskboard: T): T {
  const requireWorkspace: WorkspaceCheck<Tx> = async (workspaceId, options) => {
    await taskboard.accounts.getWorkspace(workspaceId, { tx: options?.tx })
  }
  const { webhooks, channels } = taskboard
  const whole = checked<HostCalls<Tx>>(taskboard, {
    publish: { 3: TX },
    close: { 0: ['drainTimeoutMs'] },
    resealSecrets: { 0: ['onProgress'] },
  })
  const members: Omit<HostCalls<Tx>, 'publish' | 'close' | 'resealSecrets'> = {
    accounts: checked(taskboard.accounts, ofAccounts),
    audit: checked(taskboard.audit, ofAudit),
    agents: checked(taskboard.agents, ofAgents),
    analytics: checked(taskboard.analytics, ofAnalytics),
    tasks: checked(taskboard.tasks, ofTasks),
    approvals: checked(taskboard.approvals, ofApprovals),
    usage: checked(taskboard.usage, ofUsage),
    webhooks: {
      ...checked(webhooks, ofWebhooks),
      list: checkedCall({ 1: TX }, async (workspaceId: string, options?: InTx<Tx>) => {
        const found = await webhooks.list(workspaceId, options)
        if (found.length === 0) await requireWorkspace(workspaceId, options)
        return found
      }),
    },
    notifications: checked(taskboard.notifications, ofNotifications),
    links: checked(taskboard.links, ofLinks),
    channels: {
      ...checked(channels, ofChannels),
      list: checkedCall(
        { 1: LIST },
        async (workspaceId: string, query?: Parameters<typeof channels.list>[1]) => {
          const page = await channels.list(workspaceId, query)
          if (page.channels.length === 0) await requireWorkspace(workspaceId, query)
          return page
        },
      ),
    },
    board: cachedBoards((workspaceId) => checkedBoard(taskboard.board(workspaceId), requireWorkspace)),
  }
  return { ...(whole as T), ...members }
}

interface InTx<Tx> {
  readonly tx?: Tx | undefined
}

/** @throws TaskboardError `NOT_FOUND`. */
type WorkspaceCheck<Tx> = (workspaceId: string, options?: InTx<Tx>) => Promise<void>

function checkedBoard<Tx>(board: Board<Tx>, requireWorkspace: WorkspaceCheck<Tx>): Board<Tx> {
  const list: Board<Tx>['list'] = async (column, options) => {
    const page = await board.list(column, options)
    if (page.tasks.length === 0) await requireWorkspace(board.workspaceId, options)
    return page
  }
  const members = checked(board, ofBoard)
  return Object.defineProperties(members, {
    list: { value: checkedCall({ 1: LIST }, list), enumerable: true },
    schedules: { get: () => checked(board.schedules, ofSchedules), enumerable: true },
  })
}

/** The members of a service, of which those methods check their arguments. */
function checked<T extends object>(service: T, calls: Calls<T>): T {
  const members = Object.getOwnPropertyDescriptors(service) as Record<string, PropertyDescriptor>
  for (const [name, places] of Object.entries(calls) as [string, Places][]) {
    const method = members[name]?.value as (...args: unknown[]) => Promise<unknown>
    members[name] = { value: checkedCall(places, method), enumerable: true, configurable: true }
  }
  return Object.defineProperties({}, members) as T
}

function checkedCall<A extends unknown[], R>(
  places: Places,
  method: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  const checks = Object.entries(places).map(([place, names]) => {
    const check = names === 'reach' ? requireReach : namesCheck(new Set(names))
    return (args: readonly unknown[]) => check(args[Number(place)])
  })
  return async (...args) => {
    for (const check of checks) check(args)
    return method(...args)
  }
}

const namesCheck = (names: ReadonlySet<string>) => (given: unknown) => requireNames(given, names)

/** Storages take it as it is: one without its account finds nothing, and one without its workspaces, on some, all of the account's. */
function requireReach(given: unknown): void {
  const { accountId, workspaceIds } = Object(given) as { readonly [Member in keyof Reach]?: unknown }
  const isList = Array.isArray(workspaceIds) && workspaceIds.every((id) => typeof id === 'string')
  if (typeof accountId === 'string' && (workspaceIds === 'all' || isList)) return
  const rule = "reach must have an accountId, and as workspaceIds a list of ids or 'all'"
  throw new TaskboardError('INVALID_FIELD', rule, { field: 'reach' })
}

function requireNames(given: unknown, names: ReadonlySet<string>): void {
  if (given == null) return
  if (typeof given !== 'object') {
    throw new TaskboardError('INVALID_FIELD', `options must be an object with ${[...names].join(', ')}`)
  }
  requireKnownFields(given, names)
}

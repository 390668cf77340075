import { mayRaiseBudget, requireScope, type Principal, type Scope } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Quota } from '../limits/index.js'
import type { Board } from './board.js'
import type { AddOptions } from './board-options.js'
import type { BoardSchedules } from './schedules/schedules.js'

type Quotas<Tx> = Pick<Quota<Tx>, 'createTask' | 'createTasks' | 'createHeld'>

/** The members of a board that a chat may use, with the scope that each requires, as the same over API v2 does. */
const scopeOf: { readonly [Name in keyof Board]: Scope | null } = {
  workspaceId: null,
  schedules: null,
  get: 'tasks:read',
  logs: 'tasks:read',
  outputs: 'tasks:read',
  list: 'tasks:read',
  comments: 'tasks:read',
  approvals: 'tasks:read',
  add: 'tasks:write',
  addOnce: 'tasks:write',
  addAll: 'tasks:write',
  delegate: 'tasks:write',
  update: 'tasks:write',
  delete: 'tasks:write',
  move: 'tasks:write',
  hold: 'tasks:write',
  cancel: 'tasks:write',
  release: 'tasks:write',
  claim: 'tasks:write',
  heartbeat: 'tasks:write',
  progress: 'tasks:write',
  log: 'tasks:write',
  output: 'tasks:write',
  complete: 'tasks:write',
  fail: 'tasks:write',
  usage: 'tasks:write',
  comment: 'tasks:write',
  commentOnce: 'tasks:write',
  ask: 'tasks:write',
  requestApproval: 'tasks:write',
  answer: 'tasks:write',
  answerOnce: 'tasks:write',
  decide: 'approvals:write',
  chat: 'chat:write',
}

type Method = (...given: never[]) => Promise<unknown>

/** Who asks, as of now. @throws TaskboardError (rejecting) `FORBIDDEN` when it may nothing any more. */
type CurrentCaller = () => Promise<Principal>

/**
 * A board for a chat on behalf of a caller. Each method requires the scope that the caller would need for it at that moment, and tasks and
 * schedules count in the caller's quotas. `board` acts as the caller by default.
 */
export function callersBoard<Tx>(board: Board<Tx>, current: CurrentCaller, quota: Quotas<Tx>): Board<Tx> {
  const guarded = Object.entries(scopeOf).flatMap(([name, scope]) => {
    if (scope === null) return []
    const method = board[name as keyof Board] as Method
    const call: Method = async (...given) => {
      requireScope(await current(), scope)
      return method(...given)
    }
    return [[name, call] as const]
  })
  return {
    ...(Object.fromEntries(guarded) as unknown as Board<Tx>),
    ...countedWrites(board, current, quota),
    workspaceId: board.workspaceId,
    get schedules() {
      return callersSchedules(board.schedules, current, quota)
    },
    update: async (taskId, change, options) => {
      const caller = await current()
      requireScope(caller, 'tasks:write')
      return board.update(taskId, change, { ...options, lowersBudget: !mayRaiseBudget(caller) })
    },
    usage: async (taskId, input, options) => {
      requireScope(await current(), input.fencingToken == null ? 'agents:write' : 'tasks:write')
      return board.usage(taskId, input, options)
    },
    chat: () => Promise.reject(new TaskboardError('FORBIDDEN', 'a chat cannot begin another one')),
  }
}

/** The methods that create tasks, which count. */
function countedWrites<Tx>(
  board: Board<Tx>,
  current: CurrentCaller,
  quota: Quotas<Tx>,
): Pick<Board<Tx>, 'add' | 'addOnce' | 'addAll' | 'delegate'> {
  const writer = () => callerWith(current, 'tasks:write')
  const counted = async <T>(count: number, create: () => Promise<T>): Promise<T> =>
    quota.createTasks(await writer(), count, async () => ({ value: await create(), replayed: false }))
  const addOnce: Board<Tx>['addOnce'] = async (input, options?: AddOptions<Tx>) => {
    let made: Awaited<ReturnType<Board<Tx>['addOnce']>> | undefined
    await quota.createTask(await writer(), async () => (made = await board.addOnce(input, options)))
    return made as Awaited<ReturnType<Board<Tx>['addOnce']>>
  }
  return {
    addOnce,
    add: async (input, options) => (await addOnce(input, options)).value,
    addAll: async (inputs, options) => counted(inputs.length, () => board.addAll(inputs, options)),
    delegate: async (taskId, input, options) =>
      counted(input.tasks.length, () => board.delegate(taskId, input, options)),
  }
}

function callersSchedules<Tx>(
  schedules: BoardSchedules<Tx>,
  current: CurrentCaller,
  quota: Quotas<Tx>,
): BoardSchedules<Tx> {
  const reader = () => callerWith(current, 'tasks:read')
  const writer = async () => {
    const caller = await callerWith(current, 'tasks:write')
    const { kind, id, name, sessionId } = caller
    return { caller, by: { kind, id, name, sessionId } }
  }
  return {
    list: async (...given) => (await reader(), schedules.list(...given)),
    get: async (...given) => (await reader(), schedules.get(...given)),
    async create(input, options) {
      const { caller, by } = await writer()
      return quota.createHeld(caller, 'schedules', (tx) => schedules.create(input, { tx, by, ...options }))
    },
    async update(scheduleId, change, options) {
      const { by } = await writer()
      return schedules.update(scheduleId, change, { by, ...options })
    },
    async delete(scheduleId, options) {
      const { by } = await writer()
      return schedules.delete(scheduleId, { by, ...options })
    },
  }
}

async function callerWith(current: CurrentCaller, scope: Scope): Promise<Principal> {
  const caller = await current()
  requireScope(caller, scope)
  return caller
}

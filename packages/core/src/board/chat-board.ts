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

/**
 * A board for what a chat does for a caller: each method requires the scope that the caller would need for it, and tasks and schedules count
 * in the caller's quotas. `board` acts as the caller by default.
 */
export function callersBoard<Tx>(board: Board<Tx>, caller: Principal, quota: Quotas<Tx>): Board<Tx> {
  const guarded = Object.entries(scopeOf).flatMap(([name, scope]) => {
    if (scope === null) return []
    const method = board[name as keyof Board] as Method
    return [[name, async (...given: never[]) => (requireScope(caller, scope), method(...given))] as const]
  })
  return {
    ...(Object.fromEntries(guarded) as unknown as Board<Tx>),
    ...countedWrites(board, caller, quota),
    workspaceId: board.workspaceId,
    get schedules() {
      return callersSchedules(board.schedules, caller, quota)
    },
    update: async (taskId, change, options) => {
      requireScope(caller, 'tasks:write')
      return board.update(taskId, change, { ...options, lowersBudget: !mayRaiseBudget(caller) })
    },
    usage: async (taskId, input, options) => {
      requireScope(caller, input.fencingToken == null ? 'agents:write' : 'tasks:write')
      return board.usage(taskId, input, options)
    },
    chat: () => Promise.reject(new TaskboardError('FORBIDDEN', 'a chat cannot begin another one')),
  }
}

/** The methods that create tasks, which count. */
function countedWrites<Tx>(
  board: Board<Tx>,
  caller: Principal,
  quota: Quotas<Tx>,
): Pick<Board<Tx>, 'add' | 'addOnce' | 'addAll' | 'delegate'> {
  const counted = async <T>(count: number, create: () => Promise<T>): Promise<T> => {
    requireScope(caller, 'tasks:write')
    return quota.createTasks(caller, count, async () => ({ value: await create(), replayed: false }))
  }
  const addOnce: Board<Tx>['addOnce'] = async (input, options?: AddOptions<Tx>) => {
    requireScope(caller, 'tasks:write')
    let made: Awaited<ReturnType<Board<Tx>['addOnce']>> | undefined
    await quota.createTask(caller, async () => (made = await board.addOnce(input, options)))
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
  caller: Principal,
  quota: Quotas<Tx>,
): BoardSchedules<Tx> {
  const reading = () => requireScope(caller, 'tasks:read')
  const writing = () => requireScope(caller, 'tasks:write')
  const { kind, id, name, sessionId } = caller
  const by = { kind, id, name, sessionId }
  return {
    list: async (...given) => (reading(), schedules.list(...given)),
    get: async (...given) => (reading(), schedules.get(...given)),
    async create(input, options) {
      writing()
      return quota.createHeld(caller, 'schedules', (tx) => schedules.create(input, { tx, by, ...options }))
    },
    update: async (scheduleId, change, options) => (
      writing(),
      schedules.update(scheduleId, change, { by, ...options })
    ),
    delete: async (scheduleId, options) => (writing(), schedules.delete(scheduleId, { by, ...options })),
  }
}

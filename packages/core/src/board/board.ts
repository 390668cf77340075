import type { z } from 'zod'
import type { Principal } from '../access/index.js'
import type { Environment, InTransaction } from '../environment/index.js'
import { parseInput, requireLimit } from '../errors/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Bounds } from '../limits/index.js'
import {
  requireModest,
  toUsageReport,
  type ModelPrices,
  type RecordedUsage,
  type UsageInput,
  type UsageStore,
} from '../usage/index.js'
import type { ApprovalStore } from './approval-store.js'
import { type BoardApprovals, createBoardApprovals, withoutDecisions } from './board-approvals.js'
import { actorOf } from './caller.js'
import { changeOf, requireColumn, toList, type TaskList } from './board-calls.js'
import {
  actingAs,
  DEFAULT_PAGE,
  renewalOf,
  type AddOptions,
  type BoardSettings,
  type ListOptions,
  type UpdateOptions,
  type WriteOptions,
} from './board-options.js'
import type { CommentStore } from './comment-store.js'
import { type BoardConversation, createConversation } from './conversation.js'
import { type BoardClaims, type RecordClaim, createClaim, createRelease } from './claiming.js'
import { decodeCursor } from './cursor.js'
import { addWithinSpan, reportRemoteRun, reportUsage } from './board-telemetry.js'
import { createFail, type RestAgent } from './failing.js'
import { createListWrites, type ListWrites, type ReadListWrites } from './list-writes.js'
import {
  parseNewTask,
  parseTaskChange,
  type Actor,
  type Column,
  type NewTask,
  type Task,
  type TaskChange,
  type TaskChangeInput,
  type TaskInput,
  type TaskLogEntry,
  type TaskOutput,
} from './task.js'
import {
  chatInput,
  completionInput,
  type failureInput,
  finishInput,
  holdInput,
  logInput,
  outputInput,
  progressInput,
  reportInput,
} from './write-inputs.js'
import type { BoardSchedules, Schedules } from './schedules/schedules.js'
import type { TaskPart, TaskStore } from './task-store.js'

export interface ChatReply {
  readonly reply: string
  readonly at: number
}

/**
 * One workspace's board. Every method throws `TaskboardError`. `MISSING_FIELD` and `INVALID_FIELD` name the field, and `TASK_NOT_FOUND`
 * means an id that the workspace doesn't have. Each method describes its `CONFLICT`. After `SERVICE_UNAVAILABLE`, the change wasn't made
 * or, if only the response was lost, made in full. Each write is atomic with its event and the event's webhook deliveries.
 */
export interface Board<Tx = unknown>
  extends ListWrites<Tx>, BoardConversation<Tx>, BoardApprovals<Tx>, BoardClaims<Tx> {
  readonly workspaceId: string
  /**
   * Adds a task to TODO, with `task.created`. A retry with the same `idempotency` returns the first one's task as it was created.
   * @throws `CONFLICT` when the key was used for another task.
   */
  add(input: TaskInput, options?: AddOptions<Tx>): Promise<Task>
  /** As `add`, and says whether the task is the one of an earlier call. */
  addOnce(input: TaskInput, options?: AddOptions<Tx>): Promise<Created<Task>>
  get(taskId: string, options?: InTransaction<Tx>): Promise<Task>
  /** The task's log, oldest line first: the newest 1,000 lines. */
  logs(taskId: string, options?: InTransaction<Tx>): Promise<readonly TaskLogEntry[]>
  /** The outputs of the task's agents, oldest first. */
  outputs(taskId: string, options?: InTransaction<Tx>): Promise<readonly TaskOutput[]>
  /** A column's tasks: TODO by score, best first; DOING by start; DONE newest first. */
  list(column: Column, options?: ListOptions<Tx>): Promise<TaskList>
  /**
   * Replaces the given fields, in any column; null clears a field. Raises `task.updated` with the names of the fields whose value differs;
   * none when all are as before. A change can assign a task that an agent is working on to another agent. The task then returns to TODO,
   * with `task.moved`, and the run's signal aborts.
   * @throws `INVALID_FIELD`, including for dependencies that don't exist or that would make the task wait for itself. `FORBIDDEN`
   * (`budget`) with `lowersBudget`, for a budget that is more than the present one, or none where there is one.
   */
  update(taskId: string, change: TaskChangeInput, options?: UpdateOptions<Tx>): Promise<Task>
  /**
   * Deletes a task with its log, outputs, comments and approvals, with `task.deleted`. The signal of a run that works on it aborts. An agent outside of the process
   * gets an error from its next write.
   * @throws `CONFLICT` while other tasks depend on it.
   */
  delete(taskId: string, options?: WriteOptions<Tx>): Promise<void>
  /** A person's move, any column to any, with `task.moved`. The same column changes nothing but ends a hold, with `task.released`. */
  move(taskId: string, to: Column, options?: WriteOptions<Tx>): Promise<Task>
  /** A person puts a task on hold (or, with a `fencingToken`, the agent that works on it does). `CONFLICT` in DONE. */
  hold(taskId: string, input: z.input<typeof holdInput>, options?: WriteOptions<Tx>): Promise<Task>
  /** Puts a task on hold as `cancelled` and revokes a lease, with `task.cancelled`. `release` brings it back. `CONFLICT` in DONE. */
  cancel(
    taskId: string,
    options?: WriteOptions<Tx> & { readonly message?: string | null | undefined },
  ): Promise<Task>
  /** Renews the lease. @throws `CONFLICT` when it is no longer held. */
  heartbeat(
    taskId: string,
    input: { readonly fencingToken: number; readonly leaseMs?: number | undefined },
    options?: InTransaction<Tx>,
  ): Promise<Task>
  /** Sets the progress, from 0 to 100; renews the lease. @throws `CONFLICT` when that is no longer held. */
  progress(
    taskId: string,
    input: LeasedInput<typeof progressInput>,
    options?: InTransaction<Tx>,
  ): Promise<Task>
  /** A line of the task's log; renews the lease. @throws `CONFLICT` when that is no longer held. */
  log(taskId: string, input: LeasedInput<typeof logInput>, options?: InTransaction<Tx>): Promise<void>
  /**
   * A reference to something that the agent made; renews the lease.
   * @throws `CONFLICT` when that is no longer held, or the task has as many outputs as it may.
   */
  output(taskId: string, input: LeasedInput<typeof outputInput>, options?: InTransaction<Tx>): Promise<void>
  /**
   * Completes the task: DONE with the result, with `task.completed`. A retry with the same fencing token and the same result returns the
   * task and changes nothing. It is for an agent that didn't receive the first response.
   * @throws `CONFLICT` when the lease is no longer held, or the task was completed with another result.
   */
  complete(taskId: string, input: z.input<typeof completionInput>, options?: InTransaction<Tx>): Promise<Task>
  /**
   * A person completes the task, in any column: DONE with the result, with `task.completed`. `takenBy` shows who. While an agent works on it,
   * only with `takeOver`, which ends its run. A retry with the result that the task in DONE has changes nothing.
   * @throws `CONFLICT` while an agent works on the task (`takeOver`), and for a task in DONE with another result.
   */
  complete(taskId: string, input: z.input<typeof finishInput>, options?: WriteOptions<Tx>): Promise<Task>
  /**
   * Fails the attempt: TODO again after a backoff while attempts remain. Otherwise (or with `retry: false`) TODO under the hold `failed`,
   * with `task.failed`. With `retryAfterMs`, from a second to an hour, the attempt doesn't count. The task isn't ready until then, and
   * its agent takes no other task. @throws `CONFLICT` when the lease is no longer held.
   */
  fail(taskId: string, input: z.input<typeof failureInput>, options?: InTransaction<Tx>): Promise<Task>
  /**
   * Records usage of the task: of the claim with the fencing token, whose lease it renews, or else of the attempt in progress. When
   * it spends the last of a budget, `spent` names whose, and the task goes on hold as `budget`. A retry with the same `idempotency` counts once.
   * @throws `CONFLICT` when the lease is no longer held; `INVALID_FIELD` beyond the options `bounds.usdPerReport` and `bounds.tokensPerReport`.
   */
  usage(
    taskId: string,
    input: UsageInput & {
      readonly fencingToken?: number | null | undefined
      readonly leaseMs?: number | undefined
    },
    options?: InTransaction<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<RecordedUsage>
  /** Tasks that are added again and again, at the times of a cron expression. */
  readonly schedules: BoardSchedules<Tx>
  /**
   * Asks the workspace's chat agent. With `caller`, the agent's actions on the board require the caller's scopes, count in the quotas of
   * its account, and are done in its name. Without, it may do what the host's code may, except to decide and to answer.
   * @throws `AGENT_UNAVAILABLE` when there is none or it doesn't respond. `QUOTA_EXCEEDED` (`budget`) when the monthly budget of the agent
   * or the workspace is spent. `FORBIDDEN` and `QUOTA_EXCEEDED` when the agent gives up because the caller may not.
   */
  chat(
    input: z.input<typeof chatInput>,
    options?: {
      readonly caller?: Principal | null | undefined
      /**
       * Looks the caller up again for each action of the agent on the board. A reply takes a while, in which the caller may lose rights.
       * Null when it may nothing any more. Default: the caller stays as it is.
       */
      readonly recheck?: (() => Promise<Principal | null>) | undefined
    },
  ): Promise<ChatReply>
}

/** A board for callers that have validated a task or a change themselves. */
export interface TransportBoard<Tx = unknown> extends Board<Tx>, ReadListWrites<Tx> {
  /** As `addOnce`, with a task of this workspace that `parseNewTask` returned. */
  addParsed(task: NewTask, options?: AddOptions<Tx>): Promise<Created<Task>>
  /** As `update`, with a change that `parseTaskChange` returned. */
  updateParsed(taskId: string, change: TaskChange, options?: UpdateOptions<Tx>): Promise<Task>
}

/** An option of writes under a claim: how long to renew the lease. Default: the length that the claim asked for. */
type LeasedInput<S extends z.ZodType> = z.input<S> & { readonly leaseMs?: number | undefined }

/** Answers a chat message for a workspace. `agents/` implements it. */
export type ChatAgent<Tx = unknown> = (
  board: Board<Tx>,
  input: {
    readonly message: string
    readonly user: string | null
    /** For whom; null for the host's code. `board` acts in its name. */
    readonly caller: Principal | null
    /** The caller as of now; null when it may nothing any more. */
    readonly recheck?: (() => Promise<Principal | null>) | undefined
  },
) => Promise<string>

export interface BoardDeps<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly comments: CommentStore<Tx>
  readonly approvals: ApprovalStore<Tx>
  readonly chat: ChatAgent<Tx>
  readonly recordClaim: RecordClaim<Tx>
  readonly restAgent: RestAgent<Tx>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly schedules: Schedules<Tx>
  readonly usageStore: Pick<UsageStore<Tx>, 'recordUsage'>
  readonly prices: ModelPrices
  readonly bounds: Pick<Bounds, 'usdPerReport' | 'tokensPerReport'>
  /** An agent outside of the runtimes may have another status now. */
  readonly onWorked: () => void
  readonly settings: BoardSettings
}

const HOST: Actor = { kind: 'host', id: null }

/**
 * A handle on one workspace's board. Cheap: it has no state, so you can make one for each call. `actor` is the default actor of
 * changes.
 */
export function createBoard<Tx>(
  parts: BoardDeps<Tx>,
  workspaceId: string,
  actor: Actor = HOST,
): TransportBoard<Tx> {
  const { environment, tasks, settings } = parts
  const { telemetry } = environment
  const change = changeOf(parts, workspaceId)
  const read = <Part extends TaskPart>(taskId: string, part: Part, options?: InTransaction<Tx>) =>
    tasks.getTask({ within: workspaceId, taskId, parts: [part] }, environment.call(options))

  const board: TransportBoard<Tx> = {
    workspaceId,
    add: async (input, options) => (await board.addOnce(input, options)).value,
    addOnce: async (input, options) =>
      board.addParsed(parseNewTask(input, workspaceId, settings.maxAttempts), options),
    addParsed(task, options) {
      const idempotency = options?.idempotency ?? null
      const by = options?.actor ?? actor
      if (telemetry === null)
        return tasks.insertTask({ task, actor: by, idempotency }, environment.call(options))
      return addWithinSpan(telemetry, workspaceId, [task], ([traced = task]) =>
        tasks.insertTask({ task: traced, actor: by, idempotency }, environment.call(options)),
      )
    },
    get: async (taskId, options) => (await read(taskId, 'task', options)).task,
    logs: async (taskId, options) => (await read(taskId, 'logs', options)).logs,
    outputs: async (taskId, options) => (await read(taskId, 'outputs', options)).outputs,
    async list(column, options = {}) {
      const limit = requireLimit(options.limit ?? DEFAULT_PAGE)
      const after = options.cursor == null ? null : decodeCursor(options.cursor)
      const query = { workspaceId, column: requireColumn(column, 'column'), limit, after }
      return toList(await tasks.listTasks(query, environment.call(options)))
    },
    update: async (taskId, input, options) => board.updateParsed(taskId, parseTaskChange(input), options),
    updateParsed(taskId, replaced, options) {
      const by = options?.actor ?? actor
      const { lowersBudget } = options ?? {}
      return change(taskId, { kind: 'edit', change: replaced, actor: by, lowersBudget }, options)
    },
    delete: (taskId, options) =>
      tasks.deleteTask({ workspaceId, taskId, actor: options?.actor ?? actor }, environment.call(options)),
    async move(taskId, to, options) {
      const by = actingAs(options?.actor ?? actor)
      const command = { kind: 'move', to: requireColumn(to, 'to'), actor: by } as const
      return change(taskId, command, options)
    },
    async hold(taskId, input, options) {
      const { reason, message = null, fencingToken } = parseInput(holdInput, input)
      const command =
        fencingToken == null
          ? ({ kind: 'hold', reason, message, actor: options?.actor ?? actor } as const)
          : ({ kind: 'hold_claimed', fencingToken, reason, message } as const)
      const task = await change(taskId, command, options)
      if (fencingToken != null) parts.onWorked()
      return task
    },
    cancel: (taskId, options = {}) =>
      board.hold(taskId, { reason: 'cancelled', message: options.message }, options),
    release: createRelease(parts, workspaceId, actor),
    ...createAgentWrites(parts, workspaceId),
    complete: createCompletion(parts, workspaceId, actor),
    ...createListWrites(parts, workspaceId, actor),
    ...createConversation(parts, workspaceId, actor),
    ...createBoardApprovals({ ...parts, expireAfterMs: settings.approvalsExpireAfterMs }, workspaceId, actor),
    get schedules() {
      return parts.schedules.of(workspaceId)
    },
    async chat(input, options) {
      const { message, user = null } = parseInput(chatInput, input)
      const { caller = null, recheck } = options ?? {}
      const own = caller === null ? board : createBoard(parts, workspaceId, actorOf(caller))
      const asked = { message, user, caller, recheck }
      const reply = await parts.chat(withoutDecisions<Board<Tx>>(own), asked)
      return { reply, at: environment.clock.now() }
    },
  }
  return board
}

type AgentVerb = 'claim' | 'heartbeat' | 'progress' | 'log' | 'output' | 'usage' | 'fail'

/** The methods for agents that claim their tasks themselves. */
function createAgentWrites<Tx>(parts: BoardDeps<Tx>, workspaceId: string): Pick<Board<Tx>, AgentVerb> {
  const { environment, tasks } = parts
  const change = changeOf(parts, workspaceId)
  const proof = (taskId: string, fencingToken: number) => ({ workspaceId, taskId, fencingToken })

  return {
    claim: createClaim(parts, workspaceId),
    async heartbeat(taskId, { fencingToken, leaseMs }, options) {
      return change(taskId, { kind: 'renew', fencingToken, leaseMs: renewalOf(leaseMs) }, options)
    },
    async progress(taskId, { leaseMs, ...input }, options) {
      const { fencingToken, progress } = parseInput(progressInput, input)
      const renewal = { fencingToken, leaseMs: renewalOf(leaseMs) }
      return change(taskId, { kind: 'progress', progress: Math.round(progress), ...renewal }, options)
    },
    async log(taskId, { leaseMs, ...input }, options) {
      const { fencingToken, ...entry } = parseInput(logInput, input)
      await tasks.appendToTask(
        { proof: proof(taskId, fencingToken), log: entry, leaseMs: renewalOf(leaseMs) },
        environment.call(options),
      )
    },
    async output(taskId, { leaseMs, ...input }, options) {
      const { fencingToken, size = null, ...rest } = parseInput(outputInput, input)
      const output = { ...rest, size }
      await tasks.appendToTask(
        { proof: proof(taskId, fencingToken), output, leaseMs: renewalOf(leaseMs) },
        environment.call(options),
      )
    },
    async usage(taskId, { leaseMs, ...input }, options) {
      const { fencingToken = null, ...used } = parseInput(reportInput, input)
      requireModest(used, parts.bounds)
      const record = {
        workspaceId,
        taskId,
        fencingToken,
        leaseMs: renewalOf(leaseMs),
        report: toUsageReport(used, parts.prices),
        idempotency: options?.idempotency ?? null,
      }
      const { value, replayed } = await parts.usageStore.recordUsage(record, environment.call(options))
      if (!replayed) reportUsage(environment, record.report)
      return value
    },
    fail: createFail(parts, workspaceId),
  }
}

/** The method for agents and people. */
function createCompletion<Tx>(
  parts: BoardDeps<Tx>,
  workspaceId: string,
  actor: Actor,
): Board<Tx>['complete'] {
  const { environment, tasks, onWorked } = parts
  const change = changeOf(parts, workspaceId)

  return async (taskId: string, input: object, options?: WriteOptions<Tx>) => {
    // A token that is given is an agent's, also when it is undefined: without one, a person would complete the task.
    if (!('fencingToken' in input)) {
      const by = actingAs(options?.actor ?? actor)
      return change(taskId, { kind: 'finish', ...parseInput(finishInput, input), actor: by }, options)
    }
    const { fencingToken, result } = parseInput(completionInput, input)
    const { task } = await tasks.completeTask(
      { proof: { workspaceId, taskId, fencingToken }, result, next: null },
      environment.call(options),
    )
    reportRemoteRun(environment, task, 'completed')
    onWorked()
    return task
  }
}

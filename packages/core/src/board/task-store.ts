import type { Reach } from '../access/index.js'
import type { CallContext, Instant } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { UsageAmounts } from '../usage/index.js'
import type { Backoff } from './backoff.js'
import type { Comment } from './comment.js'
import type { TaskAgent, TaskSearch, TaskSearchPage } from './task-search.js'
import type { TaskCursor } from './task-cursor.js'
import type { ListedTask } from './task-list.js'
import type {
  Actor,
  Attempt,
  Column,
  NewTask,
  Task,
  TaskChange,
  TaskLogEntry,
  TaskLogPage,
  TaskOutput,
} from './task.js'
import type { TaskCommand } from './transition.js'

/** A task, with its workspace. */
export interface TaskTarget {
  readonly workspaceId: string
  readonly taskId: string
}

/** The proof in an agent's write that it still has the task. */
export interface ClaimProof extends TaskTarget {
  readonly fencingToken: number
}

/** A claim across all workspaces, for the runtime of an agent type. */
export interface ClaimByType {
  /** `'*'` for the agents whose own type no runtime serves: see `AgentStore.reportPresence`. */
  readonly agentType: string
  readonly leaseMs: number
}

/** A claim in one workspace, for one agent. */
export interface ClaimForAgent {
  readonly workspaceId: string
  readonly agentId: string
  readonly leaseMs: number
  /** This task alone, if it is ready for the agent. Not with a completion. */
  readonly taskId?: string | undefined
}

/** Whom a claim is for: all agents of a type, or one agent. */
export type ClaimTarget = ClaimByType | ClaimForAgent

export interface ClaimBatch {
  /** The claimed tasks, in DOING, each with its lease. */
  readonly tasks: readonly Task[]
  /**
   * When fewer than `limit` were found: in how many milliseconds, at the earliest, time alone makes another task ready. For example, a
   * backoff or a planned start passes. 0 or more, by the storage's clock; null when no task waits for time.
   */
  readonly nextReadyInMs: number | null
}

export interface Completion {
  readonly task: Task
  /** Present when a next task was requested. */
  readonly next: ClaimBatch | null
}

/** A place in a list of tasks. The instant fixes the scores that order TODO for all pages of one listing. */
export interface TaskListQuery {
  readonly workspaceId: string
  readonly column: Column
  readonly limit: number
  readonly after: TaskCursor | null
}

export interface TaskPage {
  readonly tasks: readonly Task[]
  /** The instant of the order: the cursor's, or now. */
  readonly asOf: Instant
  /** Null on the last page. */
  readonly next: TaskCursor | null
}

/** The parts of one task that can be read. */
export interface TaskParts {
  readonly task: Task
  /** The agent that works on it; else, in DONE, the one that completed it; else the one that it is assigned to. */
  readonly agent: TaskAgent | null
  /** The newest lines of its log, oldest first: at most `logLines`. */
  readonly logs: readonly TaskLogEntry[]
  /** The lines of its log behind `logAfter`: at most `logLines`. */
  readonly logPage: TaskLogPage
  /** Oldest first. */
  readonly outputs: readonly TaskOutput[]
  /** The newest ones, oldest first, without the one in progress: at most `mostAttempts`. */
  readonly attempts: readonly Attempt[]
  /** When the first of the attempts began that were postponed without a break; null when there is none. One that was given back isn't a break. */
  readonly postponedSince: Instant | null
  /** The tasks that it depends on, in the order of `dependsOn`. */
  readonly dependencies: readonly {
    readonly id: string
    readonly title: string
    readonly result: string | null
  }[]
  /** The newest comments, oldest first: at most `commentsOfRun`. */
  readonly comments: readonly Comment[]
  /** The answer to the last question; null when there is none, or when a question came after it. */
  readonly answer: Comment | null
  /** The last question of an agent; null when there is none. */
  readonly question: Comment | null
  /** The sum of its reported usage. */
  readonly usage: UsageAmounts
}

export type TaskPart = keyof TaskParts

/** The earlier attempts, dependencies and comments that an agent needs. */
export type TaskBackground = Pick<
  TaskParts,
  'attempts' | 'postponedSince' | 'dependencies' | 'comments' | 'answer'
>

/** A read of one task. */
export interface TaskQuery<Part extends TaskPart = TaskPart> {
  /** Where to look: in one workspace, or in all of those within reach. */
  readonly within: string | Reach
  readonly taskId: string
  /** What to read. Empty: only the task's workspace. */
  readonly parts: readonly Part[]
  /** How many lines `logs` and `logPage` have at most; default: all that are kept. */
  readonly logLines?: number | undefined
  /** The `nextAfter` of the `logPage` before; default: from the oldest line that is kept. */
  readonly logAfter?: number | undefined
}

/** The id of a task's workspace, which never changes, with the requested parts. */
export type TaskReading<Part extends TaskPart = TaskPart> = Pick<TaskParts, Part> & {
  readonly workspaceId: string
}

/**
 * What `changeTask` does to a task, by the semantics of `transition`.
 *
 * By an agent, under its claim: `renew`, `progress`, `fail`, `hold_claimed` (TODO, under a hold that the agent raises), `return_claim` and
 * `postpone`. `return_claim` moves it to TODO immediately, and the attempt doesn't count: the agent stops for reasons unrelated to the
 * task. `postpone` does the same, not before `delayMs` from now. By a person: `move`, `hold` and `release`.
 *
 * Including by a person, `edit`: replaces the fields of the change, in any column; an empty change changes nothing. Raises `task.updated` with
 * `changedFields`, unless there are none. The lease stays, unless the task is assigned to an agent other than the lease's holder. The
 * task then returns to TODO with fresh attempts, by `actor` and with `task.moved`, after `task.updated`.
 */
export type TaskWrite =
  | Extract<
      TaskCommand,
      {
        readonly kind:
          | 'renew'
          | 'progress'
          | 'fail'
          | 'hold_claimed'
          | 'return_claim'
          | 'postpone'
          | 'move'
          | 'finish'
          | 'hold'
          | 'release'
      }
    >
  | {
      readonly kind: 'edit'
      readonly change: TaskChange
      readonly actor: Actor
      /** Rejects a budget that is more than the present one (`FORBIDDEN`): see `requireNoMore`. Absent: any. */
      readonly lowersBudget?: boolean | undefined
    }

/** A new entry of a task's log or outputs. */
export type TaskAddition = {
  readonly proof: ClaimProof
  /** As `leaseMs` of a `renew`: null for the length that the claim asked for. */
  readonly leaseMs: number | null
} & ({ readonly log: Omit<TaskLogEntry, 'at'> } | { readonly output: TaskOutput })

/** How an agent splits the task that it works. */
export interface TaskSplit {
  /** Its claim on the task, which becomes the parent. */
  readonly proof: ClaimProof
  /**
   * Whether the parent waits for the subtasks. It depends on them from then on (see `dependenciesWhileWaiting`) and returns to TODO, and
   * the attempt doesn't count. Otherwise its lease is renewed.
   */
  readonly isWaiting: boolean
  /** As `leaseMs` of a `renew`. */
  readonly leaseMs: number | null
}

/** A list of tasks to create, all or none. */
export interface TaskInsertion {
  readonly workspaceId: string
  /** 1 to 500, all of the workspace. With `split`, each has the split task as its `parentId`. */
  readonly tasks: readonly ListedTask[]
  readonly actor: Actor
  readonly idempotency: IdempotencyClaim | null
  readonly split: TaskSplit | null
}

/** What `settleTasks` looks for. */
export type TasksLeft = 'dependents' | 'routes'

/**
 * Tasks and all that happens to them. Every verb is atomic, even when many processes call at the same time. The task, its attempt, its
 * events and their webhook deliveries are written together or not at all. Verbs that name a task throw `TASK_NOT_FOUND` when the workspace
 * doesn't have it. `transition` defines the semantics of each change.
 *
 * Concurrency: no two concurrent claims get the same task. Of several writes with a fencing token, only those under the task's live
 * lease succeed. The others throw `CONFLICT` and change nothing.
 */
export interface TaskStore<Tx = unknown> {
  /**
   * Creates a task in TODO, with `task.created`.
   * @throws `INVALID_FIELD` (`dependsOn`, `assignedTo`, `parentId`) for ids that the workspace doesn't have; `NOT_FOUND` for an unknown
   * workspace. `CONFLICT` for an idempotency key that was used with another fingerprint. `CONFLICT` (`parentId`) beyond the bounds of
   * `requireSubtaskRoom`, even when several processes add subtasks at the same time.
   */
  insertTask(
    insertion: {
      readonly task: NewTask
      readonly actor: Actor
      readonly idempotency: IdempotencyClaim | null
    },
    call: CallContext<Tx>,
  ): Promise<Created<Task>>
  /**
   * Creates a list of tasks, all or none, as `insertTask` creates each, and in their order. Those with `follows` depend on the earlier
   * tasks at these positions. With `split`, the change of the parent is part of the commit.
   * @throws as `insertTask`; with `split` also `TASK_NOT_FOUND`, and `CONFLICT` when its lease is no longer held (`fencingToken`) or the
   *   parent would depend on too many tasks. `INVALID_FIELD` (`dependsOn`) when a waiting parent would wait for itself.
   */
  insertTasks(insertion: TaskInsertion, call: CallContext<Tx>): Promise<Created<readonly Task[]>>
  /** Reads one task. Beyond the given reach: `TASK_NOT_FOUND`, as for a task that doesn't exist, at the same cost. */
  getTask<Part extends TaskPart = never>(
    query: TaskQuery<Part>,
    call: CallContext<Tx>,
  ): Promise<TaskReading<Part>>
  /**
   * One page of a column. TODO by score at `asOf` (highest first), tasks on hold after all others; DOING by `startedAt` (oldest first);
   * DONE by `completedAt` (newest first). Ties by `dueDate` (none last; in TODO only), then `createdAt`, then `id`, all ascending.
   */
  listTasks(query: TaskListQuery, call: CallContext<Tx>): Promise<TaskPage>
  /**
   * Tasks of all workspaces within reach that meet the conditions, in the order of `sort` (see `taskSorts`), behind `after`, at most
   * `limit`. The cost grows with the number of workspaces. It doesn't depend on the number of tasks when one condition, or the order
   * alone, selects the page. With several conditions, the cost is the cost of the most selective one.
   * @throws `NOT_FOUND` (`agentId`, `workspaceId`) when the agent or workspace of a filter isn't within reach.
   */
  searchTasks(search: TaskSearch, call: CallContext<Tx>): Promise<TaskSearchPage>

  /**
   * Claims up to `limit` tasks, best first.
   *
   * By type, which is the runner's claim: for stored agents of that type. Workspaces with ready tasks take turns, one task a turn. Within
   * a workspace, the best task that one of its agents of the type may take goes first. The cost doesn't depend on the number of
   * workspaces and tasks. For one agent: from its workspace. `NOT_FOUND` for an unknown agent.
   *
   * A task with an assignee is for that agent alone. Another one with a type that an agent of its workspace has is for the agents of that
   * type; all others are for any agent. A paused agent takes no tasks. One with `maxConcurrent` never has more tasks under its lease, even
   * when several processes claim at the same time.
   */
  claimTasks(
    claim: { readonly target: ClaimTarget; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<ClaimBatch>
  /** Which of the claims still have a live lease, in their order. A task that was deleted has none. Changes nothing. */
  checkClaims(
    query: { readonly proofs: readonly ClaimProof[] },
    call: CallContext<Tx>,
  ): Promise<readonly boolean[]>
  /**
   * Changes one task: see `TaskWrite`.
   * @throws `CONFLICT` when the state forbids the command: a lease that is no longer held, a hold on a task in DONE. `INVALID_FIELD`
   * (`assignedTo`, `dependsOn`) for an edit with ids that the workspace doesn't have. Including for dependencies that would make the task wait
   * for itself, including through concurrent edits.
   */
  changeTask(
    change: { readonly target: TaskTarget; readonly command: TaskWrite },
    call: CallContext<Tx>,
  ): Promise<Task>
  /**
   * Appends a line to the log, which keeps the newest `logLimit`, or an output, and renews the lease.
   * @throws `CONFLICT` for an output beyond `outputLimit`.
   */
  appendToTask(addition: TaskAddition, call: CallContext<Tx>): Promise<void>
  /**
   * DOING to DONE with the result. Frees dependents (see `settleTasks`) and, on request, claims the next task in the same commit. If
   * other tasks wait for the completed one, the claim may be in the next commit instead.
   *
   * A retry with the same fencing token and the same result, while the task is in DONE by that completion, returns the task unchanged. The
   * response to the first call may have been lost. On request it claims another next task; the one of the first call, if no one received
   * it, returns when its lease expires. A retry with another result is `CONFLICT`.
   */
  completeTask(
    completion: {
      readonly proof: ClaimProof
      readonly result: string
      readonly next: ClaimTarget | null
    },
    call: CallContext<Tx>,
  ): Promise<Completion>
  /**
   * Deletes a task with its attempts, log, outputs, comments and approvals, in any column, with `task.deleted`. Its events stay. Further writes of the agent
   * that works on it throw `TASK_NOT_FOUND`. `CONFLICT` while other tasks depend on it, done or not.
   */
  deleteTask(deletion: TaskTarget & { readonly actor: Actor }, call: CallContext<Tx>): Promise<void>

  /**
   * Ends expired leases, at most `limit`: TODO after a backoff, or the hold `failed` when no attempt remains. Returns how many, and in how
   * many milliseconds the next lease expires (0 or more; null when there is none).
   */
  expireLeases(
    sweep: { readonly limit: number; readonly backoff: Backoff },
    call: CallContext<Tx>,
  ): Promise<{ expired: number; nextExpiryInMs: number | null }>
  /**
   * Does to tasks what earlier commits left for later, at most `limit` of them. Several processes can call it at the same time. Resolves to how many
   * tasks it settled, and whether the next call is likely to find more.
   *
   * `dependents`: frees those that a completion left, because they are more than a few hundred, or were added at the same moment. Until then
   * they count it as open and can't be claimed.
   *
   * `routes`: routes tasks again that wait by their type, after the first agent of the type came to their workspace or the last one left.
   * The commit of that change routes the first hundred itself. Until a task is routed, those may claim it who could before.
   */
  settleTasks(
    sweep: { readonly left: TasksLeft; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<{ settled: number; hasMore: boolean }>
  /** Recomputes every stored key after the host changed weights or horizons. Returns the number of recomputed tasks. */
  rescore(call: CallContext<Tx>): Promise<number>
}

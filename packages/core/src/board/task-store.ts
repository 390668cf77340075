import type { Reach } from '../access/index.js'
import type { At, Instant } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Backoff } from './backoff.js'
import type { TaskChange } from './task-change.js'
import type { TaskDetail, TaskSearch, TaskSearchPage } from './task-search.js'
import type { Actor, Attempt, Column, HoldReason, Priority, Task, TaskLogEntry, TaskOutput } from './task.js'

/** A validated task that is to be created in TODO. */
export interface NewTask {
  readonly workspaceId: string
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: Priority
  readonly assignedTo: string | null
  readonly dueDate: Instant | null
  readonly notBefore: Instant | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly dependsOn: readonly string[]
  readonly maxAttempts: number
}

/** What the write of an agent shows to prove that the task is still its own. */
export interface ClaimProof {
  readonly workspaceId: string
  readonly taskId: string
  readonly fencingToken: number
}

/** A claim across all workspaces, for the runtime of an agent type. */
export interface ClaimByType {
  /** `'*'` for the agents whose own type no runtime serves: see `AgentStore.reportRuntimes`. */
  readonly agentType: string
  readonly leaseMs: number
}

/** A claim in one workspace, for one agent. */
export interface ClaimForAgent {
  readonly workspaceId: string
  readonly agentId: string
  readonly leaseMs: number
}

export interface ClaimBatch {
  /** The claimed tasks, in DOING, each with its lease. */
  readonly tasks: readonly Task[]
  /**
   * When fewer than asked for were found: in how many milliseconds, at the earliest, time alone makes another task ready (a
   * backoff or planned start that ends). 0 or more, by the storage's clock; null when none waits for time.
   */
  readonly nextReadyInMs: number | null
}

export interface Completion {
  readonly task: Task
  /** Present when a next task was asked for. */
  readonly next: ClaimBatch | null
}

/** A place in a list of tasks. The instant fixes the scores that order TODO for all pages of one listing. */
export interface TaskListQuery {
  readonly workspaceId: string
  readonly column: Column
  readonly limit: number
  readonly after: TaskCursor | null
}

export interface TaskCursor {
  /** The present of the first page. */
  readonly asOf: Instant
  /** TODO: score in units at `asOf`; DOING: `startedAt`; DONE: `completedAt`. */
  readonly rank: number
  /** Whether the task is on hold: in TODO, those come last. */
  readonly held: boolean
  /** Orders equal ranks in TODO. */
  readonly dueDate: Instant | null
  readonly createdAt: Instant
  readonly id: string
}

export interface TaskPage {
  readonly tasks: readonly Task[]
  /** The present at which the page was ordered: the cursor's, or now. */
  readonly asOf: Instant
  /** Null on the last page. */
  readonly next: TaskCursor | null
}

/** What an agent needs to know so that its attempt does not start blind. */
export interface TaskBackground {
  /** Oldest first, without the one under way. */
  readonly attempts: readonly Attempt[]
  readonly dependencies: readonly {
    readonly id: string
    readonly title: string
    readonly result: string | null
  }[]
}

/**
 * Tasks and all that happens to them. Every verb is atomic: the task, its attempt, its events and their webhook deliveries
 * are written together or not at all, also when many processes call at once. Verbs that name a task throw
 * `TASK_NOT_FOUND` when the workspace has none with that id. The semantics of each change are those of `transition`.
 *
 * Concurrency: of several claims at once no two get the same task; of several writes with a `ClaimProof` only those
 * made under the task's live lease succeed (the others throw `CONFLICT` and change nothing).
 */
export interface TaskStore<Tx = unknown> {
  /**
   * Creates a task in TODO, with `task.created`.
   * @throws `INVALID_FIELD` (`dependsOn`, `assignedTo`) for ids that the workspace does not have; `NOT_FOUND` for an
   *   unknown workspace; `CONFLICT` for an idempotency key that was used with another fingerprint.
   */
  insertTask(
    task: NewTask,
    actor: Actor,
    idempotency: IdempotencyClaim | null,
    at: At<Tx>,
  ): Promise<Created<Task>>
  getTask(workspaceId: string, taskId: string, at: At<Tx>): Promise<Task>
  /**
   * One page of a column: TODO by score at `asOf` (highest first), tasks on hold after all others; DOING by `startedAt` (oldest
   * first); DONE by `completedAt` (newest first). Ties by `dueDate` (none last; in TODO only), then `createdAt`, then `id`, all
   * ascending.
   */
  listTasks(query: TaskListQuery, at: At<Tx>): Promise<TaskPage>
  /** How many tasks each column holds. */
  countTasks(workspaceId: string, at: At<Tx>): Promise<Readonly<Record<Column, number>>>
  getBackground(workspaceId: string, taskId: string, at: At<Tx>): Promise<TaskBackground>
  listLogs(workspaceId: string, taskId: string, at: At<Tx>): Promise<readonly TaskLogEntry[]>
  listOutputs(workspaceId: string, taskId: string, at: At<Tx>): Promise<readonly TaskOutput[]>
  /** A task of any workspace within reach, with the newest `logLines` lines of its log. Beyond reach: `TASK_NOT_FOUND`. */
  findTask(reach: Reach, taskId: string, logLines: number, at: At<Tx>): Promise<TaskDetail>
  /** The id of a task's workspace, which never changes. Beyond reach: `TASK_NOT_FOUND`. */
  locateTask(reach: Reach, taskId: string, at: At<Tx>): Promise<string>
  /**
   * Tasks of all workspaces within reach, by their ids from the highest down: newest first. Costs the same whatever the number
   * of tasks, but grows with that of the workspaces.
   * @throws `NOT_FOUND` (`agentId`, `workspaceId`) for an agent or a workspace to filter by that is not within reach.
   */
  searchTasks(reach: Reach, search: TaskSearch, at: At<Tx>): Promise<TaskSearchPage>

  /**
   * The runner's verb: claims up to `limit` tasks for stored agents of a type. Workspaces with ready tasks take turns, one
   * task a turn; within a workspace the best task that one of its agents of the type may take goes first. Costs the same
   * whatever the number of workspaces and tasks.
   */
  claimBest(request: ClaimByType, limit: number, at: At<Tx>): Promise<ClaimBatch>
  /** Claims up to `limit` tasks of one workspace for one of its agents, best first. `NOT_FOUND` for an unknown agent. */
  claimForAgent(request: ClaimForAgent, limit: number, at: At<Tx>): Promise<ClaimBatch>
  /** Which of the claims still hold a live lease, in their order: a task that is gone holds none. Changes nothing. */
  checkClaims(proofs: readonly ClaimProof[], at: At<Tx>): Promise<readonly boolean[]>
  /**
   * Renews the lease to `leaseMs` from now. Here and in the writes below, null stands for the length that the claim asked for; a
   * number applies to this renewal alone.
   */
  renewLease(proof: ClaimProof, leaseMs: number | null, at: At<Tx>): Promise<Task>
  /** Sets progress, with `task.progress` when it differs, and renews the lease. */
  recordProgress(proof: ClaimProof, progress: number, leaseMs: number | null, at: At<Tx>): Promise<Task>
  /** Appends to the log (the newest `logLimit` lines are kept) and renews the lease. */
  appendLog(
    proof: ClaimProof,
    entry: Omit<TaskLogEntry, 'at'>,
    leaseMs: number | null,
    at: At<Tx>,
  ): Promise<void>
  /** Appends an output and renews the lease. `CONFLICT` beyond `outputLimit`. */
  appendOutput(proof: ClaimProof, output: TaskOutput, leaseMs: number | null, at: At<Tx>): Promise<void>
  /**
   * DOING to DONE with the result, frees dependents (see `freeDependents`), and takes the next task when asked to: in the same commit, but for tasks that
   * others wait for, where it may be the one after.
   *
   * A repeat with the same fencing token and the same result, while the task is in DONE by that completion, gives the task and changes
   * nothing of it: the answer to the first call may have been lost. It takes a next task anew when asked to; the one that the first
   * call took, if nobody received it, returns when its lease ends. A repeat with another result is `CONFLICT`.
   */
  completeTask(
    proof: ClaimProof,
    result: string,
    next: ClaimByType | ClaimForAgent | null,
    at: At<Tx>,
  ): Promise<Completion>
  /**
   * Ends the attempt in failure. With a `backoff` and attempts remaining: TODO after that wait; otherwise TODO under
   * the hold `failed`, with one `task.failed`.
   */
  failTask(proof: ClaimProof, reason: string, backoff: Backoff | null, at: At<Tx>): Promise<Task>
  /** TODO under a hold that the agent raises; `task.failed` once, unless the reason is `cancelled`. */
  holdClaimedTask(proof: ClaimProof, reason: HoldReason, message: string | null, at: At<Tx>): Promise<Task>
  /** TODO at once, and the attempt is not counted: the agent stops for reasons of its own. */
  handBackTask(proof: ClaimProof, reason: string, at: At<Tx>): Promise<Task>

  /**
   * Replaces the fields that the change has, in any column and without an event; an empty change changes nothing. A lease stays
   * as it is, unless the task is assigned to another agent than its holder: the task then returns to TODO with fresh attempts, by
   * `actor` and with `task.moved`.
   * @throws `INVALID_FIELD` (`assignedTo`, `dependsOn`) for ids that the workspace does not have, and for dependencies that
   *   would have the task wait for itself, however many edits at once.
   */
  updateTask(workspaceId: string, taskId: string, change: TaskChange, actor: Actor, at: At<Tx>): Promise<Task>
  /**
   * Deletes a task with its attempts, log and outputs, in any column and without an event; its events stay. Who works it
   * gets `TASK_NOT_FOUND` for every further write. `CONFLICT` while other tasks depend on it, done or not.
   */
  deleteTask(workspaceId: string, taskId: string, at: At<Tx>): Promise<void>
  /** Any column to any by a person. To DOING starts work without a lease; out of DOING revokes the lease. */
  moveTask(workspaceId: string, taskId: string, to: Column, actor: Actor, at: At<Tx>): Promise<Task>
  /** A person's hold on a task in TODO or DOING. `CONFLICT` in DONE. A hold that is there already is replaced. */
  holdTask(
    workspaceId: string,
    taskId: string,
    reason: HoldReason,
    message: string | null,
    actor: Actor,
    at: At<Tx>,
  ): Promise<Task>
  /** Ends a hold and grants a fresh set of attempts. A task without a hold is left as it is. */
  releaseTask(workspaceId: string, taskId: string, actor: Actor, at: At<Tx>): Promise<Task>

  /**
   * Ends leases that have expired, at most `limit`: TODO after a backoff, or the hold `failed` when no attempt
   * remains. Returns how many, and in how many milliseconds the next lease expires (0 or more; null when none is out).
   */
  expireLeases(
    limit: number,
    backoff: Backoff,
    at: At<Tx>,
  ): Promise<{ expired: number; nextExpiryInMs: number | null }>
  /**
   * Frees dependents that the commits which completed what they wait for left for later, at most `limit`: when there are more than
   * a few hundred, or when they were added at the same moment. Until then they count it as open, and are not picked. Several
   * processes may do it at once. Resolves to how many tasks were freed, and whether the next call is likely to find more.
   */
  freeDependents(limit: number, at: At<Tx>): Promise<{ freed: number; hasMore: boolean }>
  /** Recomputes every stored key after the host changed weights or horizons. Returns how many tasks that were. */
  rescore(at: At<Tx>): Promise<number>
}

import type { Reach } from '../access/index.js'
import type { At, Instant } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Backoff } from './backoff.js'
import type { TaskChange } from './task-change.js'
import type { TaskAgent, TaskSearch, TaskSearchPage } from './task-search.js'
import type { Actor, Attempt, Column, Priority, Task, TaskLogEntry, TaskOutput } from './task.js'
import type { TaskCommand } from './transition.js'

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

/** A task, named with its workspace. */
export interface TaskTarget {
  readonly workspaceId: string
  readonly taskId: string
}

/** What the write of an agent shows to prove that the task is still its own. */
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
}

/** Whom a claim is for: all agents of a type, or one agent. */
export type ClaimTarget = ClaimByType | ClaimForAgent

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

/** What there is to read of one task. */
export interface TaskParts {
  readonly task: Task
  /** The agent that works it; else the one that completed it, while it is in DONE; else the one that it is assigned to. */
  readonly agent: TaskAgent | null
  /** The newest lines of its log, oldest first: as many as `logLines` asks for. */
  readonly logs: readonly TaskLogEntry[]
  /** Oldest first. */
  readonly outputs: readonly TaskOutput[]
  /** Oldest first, without the one under way. */
  readonly attempts: readonly Attempt[]
  /** The tasks that it depends on, in the order of `dependsOn`. */
  readonly dependencies: readonly {
    readonly id: string
    readonly title: string
    readonly result: string | null
  }[]
}

export type TaskPart = keyof TaskParts

/** What an agent needs to know so that its attempt does not start blind. */
export type TaskBackground = Pick<TaskParts, 'attempts' | 'dependencies'>

/** A look at one task. */
export interface TaskQuery<Part extends TaskPart = TaskPart> {
  /** Where it may be: in one workspace, or in any of those within reach. */
  readonly within: string | Reach
  readonly taskId: string
  /** What to read. Nothing: only where the task is. */
  readonly parts: readonly Part[]
  /** How many lines of the log `logs` has at most; by default all that are kept. */
  readonly logLines?: number | undefined
}

/** The id of a task's workspace, which never changes, with the parts that were asked for. */
export type TaskReading<Part extends TaskPart = TaskPart> = Pick<TaskParts, Part> & {
  readonly workspaceId: string
}

/**
 * What `changeTask` does to a task, by the semantics of `transition`.
 *
 * By an agent, under its claim: `renew`, `progress`, `fail`, `raise_hold` (TODO, under a hold that the agent raises) and `hand_back` (TODO
 * at once, with the attempt not counted: the agent stops for reasons of its own). By a person: `move`, `hold` and `release`.
 *
 * And by a person as well, `edit`: replaces the fields that the change has, in any column and without an event; an empty change changes
 * nothing. A lease stays as it is, unless the task is assigned to another agent than its holder: the task then returns to TODO with
 * fresh attempts, by `actor` and with `task.moved`.
 */
export type TaskWrite =
  | Extract<
      TaskCommand,
      {
        readonly kind:
          'renew' | 'progress' | 'fail' | 'raise_hold' | 'hand_back' | 'move' | 'hold' | 'release'
      }
    >
  | { readonly kind: 'edit'; readonly change: TaskChange; readonly actor: Actor }

/** What is added to a task's log or to its outputs. */
export type TaskAddition = {
  readonly proof: ClaimProof
  /** As `leaseMs` of a `renew`: null for the length that the claim asked for. */
  readonly leaseMs: number | null
} & ({ readonly log: Omit<TaskLogEntry, 'at'> } | { readonly output: TaskOutput })

/**
 * Tasks and all that happens to them. Every verb is atomic: the task, its attempt, its events and their webhook deliveries
 * are written together or not at all, also when many processes call at once. Verbs that name a task throw
 * `TASK_NOT_FOUND` when the workspace has none with that id. The semantics of each change are those of `transition`.
 *
 * Concurrency: of several claims at once no two get the same task; of several writes with a fencing token only those
 * made under the task's live lease succeed (the others throw `CONFLICT` and change nothing).
 */
export interface TaskStore<Tx = unknown> {
  /**
   * Creates a task in TODO, with `task.created`.
   * @throws `INVALID_FIELD` (`dependsOn`, `assignedTo`) for ids that the workspace does not have; `NOT_FOUND` for an
   *   unknown workspace; `CONFLICT` for an idempotency key that was used with another fingerprint.
   */
  insertTask(
    insertion: {
      readonly task: NewTask
      readonly actor: Actor
      readonly idempotency: IdempotencyClaim | null
    },
    at: At<Tx>,
  ): Promise<Created<Task>>
  /** Reads one task. Beyond the reach that is given: `TASK_NOT_FOUND`, as for a task that does not exist, at the same cost. */
  getTask<Part extends TaskPart = never>(query: TaskQuery<Part>, at: At<Tx>): Promise<TaskReading<Part>>
  /**
   * One page of a column: TODO by score at `asOf` (highest first), tasks on hold after all others; DOING by `startedAt` (oldest
   * first); DONE by `completedAt` (newest first). Ties by `dueDate` (none last; in TODO only), then `createdAt`, then `id`, all
   * ascending.
   */
  listTasks(query: TaskListQuery, at: At<Tx>): Promise<TaskPage>
  /**
   * Tasks of all workspaces within reach, by their ids from the highest down: newest first. Costs the same whatever the number
   * of tasks, but grows with that of the workspaces.
   * @throws `NOT_FOUND` (`agentId`, `workspaceId`) for an agent or a workspace to filter by that is not within reach.
   */
  searchTasks(search: TaskSearch, at: At<Tx>): Promise<TaskSearchPage>

  /**
   * Claims up to `limit` tasks, best first.
   *
   * By type, which is the runner's claim: for stored agents of that type. Workspaces with ready tasks take turns, one task a turn;
   * within a workspace the best task that one of its agents of the type may take goes first. Costs the same whatever the number of
   * workspaces and tasks. For one agent: of its workspace. `NOT_FOUND` for an unknown agent.
   */
  claimTasks(claim: { readonly target: ClaimTarget; readonly limit: number }, at: At<Tx>): Promise<ClaimBatch>
  /** Which of the claims still hold a live lease, in their order: a task that is gone holds none. Changes nothing. */
  checkClaims(proofs: readonly ClaimProof[], at: At<Tx>): Promise<readonly boolean[]>
  /**
   * Changes one task: see `TaskWrite`.
   * @throws `CONFLICT` when the state forbids the command: a lease that is no longer held, a hold on a task in DONE. `INVALID_FIELD`
   *   (`assignedTo`, `dependsOn`) for an edit with ids that the workspace does not have, and for dependencies that would have the task
   *   wait for itself, however many edits at once.
   */
  changeTask(change: { readonly target: TaskTarget; readonly command: TaskWrite }, at: At<Tx>): Promise<Task>
  /**
   * Appends a line to the log, of which the newest `logLimit` are kept, or an output, and renews the lease.
   * @throws `CONFLICT` for an output beyond `outputLimit`.
   */
  appendToTask(addition: TaskAddition, at: At<Tx>): Promise<void>
  /**
   * DOING to DONE with the result, frees dependents (see `freeDependents`), and takes the next task when asked to: in the same commit, but for tasks that
   * others wait for, where it may be the one after.
   *
   * A repeat with the same fencing token and the same result, while the task is in DONE by that completion, gives the task and changes
   * nothing of it: the answer to the first call may have been lost. It takes a next task anew when asked to; the one that the first
   * call took, if nobody received it, returns when its lease ends. A repeat with another result is `CONFLICT`.
   */
  completeTask(
    completion: {
      readonly proof: ClaimProof
      readonly result: string
      readonly next: ClaimTarget | null
    },
    at: At<Tx>,
  ): Promise<Completion>
  /**
   * Deletes a task with its attempts, log and outputs, in any column and without an event; its events stay. Who works it
   * gets `TASK_NOT_FOUND` for every further write. `CONFLICT` while other tasks depend on it, done or not.
   */
  deleteTask(target: TaskTarget, at: At<Tx>): Promise<void>

  /**
   * Ends leases that have expired, at most `limit`: TODO after a backoff, or the hold `failed` when no attempt
   * remains. Returns how many, and in how many milliseconds the next lease expires (0 or more; null when none is out).
   */
  expireLeases(
    sweep: { readonly limit: number; readonly backoff: Backoff },
    at: At<Tx>,
  ): Promise<{ expired: number; nextExpiryInMs: number | null }>
  /**
   * Frees dependents that the commits which completed what they wait for left for later, at most `limit`: when there are more than
   * a few hundred, or when they were added at the same moment. Until then they count it as open, and are not picked. Several
   * processes may do it at once. Resolves to how many tasks were freed, and whether the next call is likely to find more.
   */
  freeDependents(sweep: { readonly limit: number }, at: At<Tx>): Promise<{ freed: number; hasMore: boolean }>
  /** Recomputes every stored key after the host changed weights or horizons. Returns how many tasks that were. */
  rescore(at: At<Tx>): Promise<number>
}

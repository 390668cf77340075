export { columns, holdReasons, isReady, priorities } from './task.js'
export type {
  Actor,
  Attempt,
  AttemptOutcome,
  Column,
  Hold,
  HoldReason,
  Lease,
  Priority,
  Task,
  TaskLogEntry,
  TaskOutput,
} from './task.js'
export { backoffDelayMs, defaultBackoff } from './backoff.js'
export type { Backoff } from './backoff.js'
export { transition } from './transition.js'
export type { TaskCommand, TransitionResult } from './transition.js'
export type {
  ClaimBatch,
  ClaimByType,
  ClaimForAgent,
  ClaimProof,
  Completion,
  NewTask,
  TaskBackground,
  TaskCursor,
  TaskListQuery,
  TaskPage,
  TaskStore,
} from './task-store.js'
export { createBoard } from './board.js'
export type {
  Board,
  BoardParts,
  BoardSettings,
  ChatAgent,
  ChatReply,
  TaskList,
  WriteOptions,
} from './board.js'
export { readNewTask } from './new-task.js'
export type { InstantInput, TaskInput } from './new-task.js'
export { chatInput } from './write-inputs.js'

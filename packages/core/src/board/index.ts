export {
  attemptOutcomes,
  mostAttempts,
  columns,
  createTask,
  holdReasons,
  logLevels,
  isReady,
  makeTask,
  priorities,
  parseNewTask,
  parseTaskChange,
  taskFieldNames,
  taskListEntries,
} from './task.js'
export type {
  ActingAs,
  Actor,
  Attempt,
  AttemptOutcome,
  Column,
  Hold,
  HoldReason,
  Lease,
  NamedActor,
  NewTask,
  Priority,
  Task,
  TaskChange,
  TaskChangeInput,
  TaskField,
  TaskFields,
  TaskInput,
  TaskLogEntry,
  TaskLogPage,
  TaskOutput,
} from './task.js'
export { searchWords } from './search-words.js'
export {
  anyTask,
  meetsConditions,
  searchPlace,
  type TaskAgent,
  type TaskConditions,
  type TaskDetail,
  type TaskSearch,
  type TaskSearchPage,
  type TaskSort,
  taskSorts,
  taskStatus,
  type TaskStatus,
  taskStatuses,
  type TaskSummary,
} from './task-search.js'
export { backoffDelayMs, defaultBackoff } from './backoff.js'
export type { Backoff } from './backoff.js'
export {
  approvalAt,
  approvalDecisions,
  approvalStatuses,
  approvalFields,
  eventOfApproval,
  openStates,
  outcomeOfDecision,
  outcomeOfRequest,
  parseApprovalRequest,
  verdictInput,
} from './approval.js'
export type {
  Approval,
  ApprovalDecision,
  ApprovalInput,
  ApprovalRequest,
  ApprovalStatus,
  DecisionOutcome,
  RequestOutcome,
  StoredApproval,
  Verdict,
} from './approval.js'
export { askerKinds, requireResponder } from './asker.js'
export type { Asked, Asker } from './asker.js'
export type { ApprovalAnswer, ApprovalPage, ApprovalQuery, ApprovalStore } from './approval-store.js'
export { createApprovalDirectory } from './approval-directory.js'
export type { ApprovalDirectory, ApprovalFilter, ApprovalFindings } from './approval-directory.js'
export {
  commentBody,
  commentInput,
  commentKinds,
  commentsOfRun,
  longestComment,
  outcomeOfComment,
  questionInput,
  whoSaid,
} from './comment.js'
export type { AnsweredQuestion, Comment, CommentDraft, CommentKind, CommentOutcome } from './comment.js'
export type { CommentPage, CommentQuery, CommentStore } from './comment-store.js'
export type { BoardApprovals } from './board-approvals.js'
export type { BoardClaims } from './claiming.js'
export type { BoardConversation, CommentInput, CommentList } from './conversation.js'
export type { ListWrites } from './list-writes.js'
export { actorOf } from './caller.js'
export { callersBoard } from './chat-board.js'
export { budgetHold } from './budget-hold.js'
export { changedFields, revocationBy, updatedEvent } from './task-edit.js'
export { isCompletedBy } from './completion.js'
export { transition } from './transition.js'
export type { TaskCommand } from './transition.js'
export type { TransitionResult } from './transition-result.js'
export type { TaskCursor } from './task-cursor.js'
export type {
  ClaimBatch,
  ClaimByType,
  ClaimForAgent,
  ClaimProof,
  ClaimTarget,
  Completion,
  TaskAddition,
  TaskBackground,
  TaskListQuery,
  TaskPage,
  TaskPart,
  TaskParts,
  TaskQuery,
  TaskReading,
  TaskStore,
  TaskTarget,
  TaskInsertion,
  TasksLeft,
  TaskSplit,
  TaskWrite,
} from './task-store.js'
export { cursorAfter, encodeTaskId as taskCursor } from './cursor.js'
export { createBoard } from './board.js'
export { cachedBoards } from './cached-boards.js'
export type { Board, BoardDeps, ChatAgent, ChatReply, TransportBoard } from './board.js'
export type { RecordClaim } from './claiming.js'
export type { TaskList } from './board-calls.js'
export type { DelegationInput } from './list-writes.js'
export type { AddOptions, BoardSettings, ListOptions, UpdateOptions, WriteOptions } from './board-options.js'
export { createTaskSweep } from './task-sweep.js'
export { dependenciesWhileWaiting, mostOpenSubtasks, requireSubtaskRoom, taskLevels } from './subtasks.js'
export { mostListedTasks, parseTaskList, type ListedTask, type ListedTaskInput } from './task-list.js'
export { createTaskDirectory } from './task-directory.js'
export type { FoundTask, TaskDirectory, TaskFilter, TaskFindings, TaskLogList } from './task-directory.js'
export type { InstantInput } from './parse-value.js'
export { typeRules } from './parse-value.js'
export {
  chatInput,
  completionInput,
  failureInput,
  finishInput,
  holdInput,
  logInput,
  outputFields,
  progressInput,
} from './write-inputs.js'
export { nextOccurrence } from './schedules/cron-expression.js'
export type { CronRule } from './schedules/cron-expression.js'
export { changedSchedule, createSchedule, occur, overlaps } from './schedules/schedule.js'
export type {
  NewSchedule,
  Occurrence,
  Overlap,
  Schedule,
  ScheduleChange,
  ScheduleChangeInput,
  ScheduledTask,
  ScheduledTaskInput,
  ScheduleInput,
  ScheduleTerms,
} from './schedules/schedule.js'
export { createScheduleLoop, type ScheduleQuota } from './schedules/schedule-loop.js'
export type { ScheduleLoop } from './schedules/schedule-loop.js'
export type {
  OccurrenceRequest,
  ScheduleList,
  ScheduleQuery,
  ScheduleStore,
} from './schedules/schedule-store.js'
export { createSchedules } from './schedules/schedules.js'
export type { BoardSchedules, ScheduleFilter, SchedulePage, Schedules } from './schedules/schedules.js'
export { reportClaim } from './board-telemetry.js'

import type { Operating } from '../operation.js'

/** What people, programs and agents do with tasks. */
export function taskMethods({ method, all }: Operating) {
  return {
    /** Adds a task for the agents of its workspace. */
    create: method('createTask'),
    /** Adds up to 500 tasks, all or none. They can depend on each other. */
    createMany: method('createTasks'),
    /** A page of the tasks that match every given filter. */
    list: method('listTasks'),
    /** All tasks that match every given filter. */
    listAll: all('listTasks'),
    /** A task with the newest 100 lines of its log and its outputs. */
    get: method('getTask'),
    /** A page of the log of a task, oldest line first. */
    logs: method('listTaskLogLines'),
    /** The whole log of a task: all lines that are kept. */
    allLogs: all('listTaskLogLines'),
    /** How the attempts at a task ended. */
    attempts: method('listAttempts'),
    /** Why a task is where it is: what it waits for, its score now, and the four factors. */
    score: method('getTaskScore'),
    /** Changes some fields of a task. */
    update: method('updateTask'),
    /** Deletes a task with its log and outputs. Rejects with `CONFLICT` while other tasks depend on it. */
    delete: method('deleteTask'),
    /** Moves a task to any column. The agent that works it loses it. */
    move: method('moveTask'),
    /** Puts a task aside. The agent that works it loses it. */
    cancel: method('cancelTask'),
    /** Ends a hold, with a fresh set of attempts. */
    release: method('releaseTask'),
    /** Answers the question of a task that waits for input. */
    answer: method('answerTask'),
    /** Writes into the thread of a task. */
    comment: method('createComment'),
    /** A page of the thread of a task. */
    comments: method('listComments'),
    /** The whole thread of a task. */
    allComments: all('listComments'),

    /** Claims the best task for an agent. The task is null when there is none. */
    claim: method('claimTask'),
    /** Renews the lease of a claimed task. */
    heartbeat: method('heartbeatTask'),
    /** Reports the progress of a claimed task, in percent. */
    progress: method('reportTaskProgress'),
    /** Adds a line to the log of a claimed task. */
    log: method('addTaskLogLine'),
    /** Adds an output to a claimed task. */
    output: method('addTaskOutput'),
    /** Creates subtasks of a claimed task. With `wait`, the task waits for them. */
    delegate: method('delegateTask'),
    /** Reports what a language model was asked for. */
    usage: method('reportTaskUsage'),
    /** Puts a claimed task on hold. With the reason `needs_input`, asks people. */
    hold: method('holdTask'),
    /** Completes a task with its result: with the `fencing_token` of a claim as its agent, without one as a person. */
    complete: method('completeTask'),
    /** Fails the attempt at a claimed task. */
    fail: method('failTask'),
    approvals: {
      /** Asks people to approve one action of an agent that has claimed the task. */
      request: method('requestApproval'),
    },
  }
}

/** What agents want to do, for people to decide. */
export function approvalMethods({ method, all }: Operating) {
  return {
    /** A page of the approvals of all workspaces within reach, newest first. */
    list: method('listApprovals'),
    /** All approvals that match every given filter. */
    listAll: all('listApprovals'),
    /** An approval with the input of its action. */
    get: method('getApproval'),
    /** Approves or rejects, once. */
    decide: method('decideApproval'),
  }
}

/** Tasks that are made by the clock. */
export function scheduleMethods({ method, all }: Operating) {
  return {
    /** Adds a task at the times of a cron expression. Missed occurrences are made once, as one. */
    create: method('createSchedule'),
    /** A page of the schedules, oldest first. */
    list: method('listSchedules'),
    /** All schedules, oldest first. */
    listAll: all('listSchedules'),
    /** One schedule. */
    get: method('getSchedule'),
    /** Changes the given settings. The task is replaced as a whole. */
    update: method('updateSchedule'),
    /** Deletes a schedule. The tasks that it added stay. */
    delete: method('deleteSchedule'),
  }
}

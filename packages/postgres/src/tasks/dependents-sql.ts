/** How many dependents the commit frees that completes a task, as `taskboard.tell_dependents` has it. */
const FREED_AT_ONCE = 100

/**
 * The dependents of a task that the trigger is going to free when the task is done, or to block when it is not done any more. They are
 * locked before the log, in the order of their ids.
 */
export const dependentsToLock = (taskId: string, isDone: string): string => /* sql */ `
        select d.task_id from taskboard.task_dependency d
        where d.depends_on = ${taskId} and d.is_open = (${isDone})
        order by d.task_id limit case when ${isDone} then ${FREED_AT_ONCE} end`

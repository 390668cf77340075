/** How many dependents the commit that completes a task frees: the same number as in `taskboard.tell_dependents`. */
const FREED_AT_ONCE = 100

/**
 * The dependents that the trigger frees when the task is done, or blocks when it is reopened. They are locked before the log,
 * in the order of their ids.
 */
export const dependentsToLock = (taskId: string, isDone: string): string => /* sql */ `
        select d.task_id from taskboard.task_dependency d
        where d.depends_on = ${taskId} and d.is_open = (${isDone})
        order by d.task_id limit case when ${isDone} then ${FREED_AT_ONCE} end`

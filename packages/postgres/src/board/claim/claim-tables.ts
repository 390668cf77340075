/**
 * The common table expressions through which the parts of a claiming statement meet: a part names one only by its member here, so that a
 * name that no part makes does not compile. In their order, with who makes each, its columns, and one row as an example:
 *
 * | name | made by | columns | example |
 * | --- | --- | --- | --- |
 * | `present` | each statement | `now`; for one agent also what is known of it | `1767225600000` |
 * | `stale` | by type | `is_stale`: placements have ended, so nothing may be taken | `false` |
 * | `completion` | `completionsOf` | `ord, workspace_id, task_id, fencing_token, result, expected_version` | `0, ws_1, task_1, 3, 'Done.', 2` |
 * | `found` | `completeWhere` | the task of each completion, `is_held`: whether its lease is alive | `0, task_1, …, true` |
 * | `done` | `completeWhere` | the columns of a task, `ord`, `expected_version` | `task_1, …, 0, 2` |
 * | `completed` | `completeWhere` | an event for each task in `done` | `ws_1, 0, 'task.completed', …` |
 * | `requested` | `claimParts` | `requested`: the limit, and one more for each task in `done` | `8` |
 * | `served_workspace` | by type | `workspace_id, place`: the workspaces whose turn it is | `ws_1, 1` |
 * | `worker` | by type | `workspace_id, agent_id, type_pool, task_count, room` | `ws_1, agent_1, '#bot', 2, 6` |
 * | `candidate` | `takeBest`, for one agent | `task_id, …, score`: the best of each lane and pool | `task_2, …, 1076000000000` |
 * | `picked` | `takeBest`, for one agent | what could be locked of them, best first | `task_2, …` |
 * | `claimed` | `takeBest`, for one agent | the columns of a task in DOING, `ord` | `task_2, …, 1` |
 * | `draft` | `claimParts` | `workspace_id, ord, type, data, at`: the events of `completed` and `claimed` | `ws_1, 1, 'task.started', …` |
 *
 * `LOG_EVENTS` reads `draft` and writes the events with their deliveries. docs/pickup.md explains lanes, pools and turns.
 */
export const cte = {
  present: 'p',
  stale: 'stale',
  completion: 'completion',
  found: 'found',
  done: 'done',
  completed: 'completed',
  requested: 'requested',
  servedWorkspace: 'served_workspace',
  worker: 'worker',
  candidate: 'candidate',
  picked: 'picked',
  claimed: 'claimed',
  draft: 'draft',
} as const

/**
 * The map of the claiming statements: their common table expressions, in order, before the ones of the log, which `logAndClaim` maps. Use these members
 * in place of literals, so that a misspelt name doesn't compile. A test holds that the statements have no others. They claim for one agent, or
 * for all agents of a type or of a runtime (by type), and each may complete tasks first. One row of each as an example:
 *
 * | name | columns | example | why |
 * | --- | --- | --- | --- |
 * | `p`, the present | `now, is_stale`; for one agent also whether it exists, is paused, bounded or out of budget, and the rise of each lane | `1767225600000, false` | one instant for all; while placements are over (`is_stale`), nothing is done |
 * | `completion` | `ord, workspace_id, task_id, fencing_token, result, expected_version` | `0, ws_1, task_1, 3, 'Done.', 2` | what to complete, from the parameter |
 * | `found` | the task of each completion, `is_completable` | `0, task_1, …, true` | whether its lease is alive, and nothing else forbids it: a claim must follow, and no dependent become ready |
 * | `done` | the columns of a task, `ord`, `expected_version` | `task_1, …, 0, 2` | completes those |
 * | `completed` | as `draft` | `ws_1, 0, 'task.completed', …` | their events |
 * | `requested` | `requested` | `8` | the limit, and one more for each task in `done` |
 * | `capacity` (one agent) | `most` | `6` | of the requested, as many as the agent may have after the completions. None when it is paused, rests or has spent its budget, or `p.is_stale` |
 * | `workspace_walk` (by type) | `workspace_id, is_served, …` | `ws_1, true, …` | looks for workspaces with tasks and agents, from the one after the last served |
 * | `served_workspace` (by type) | `workspace_id, place` | `ws_1, 1` | those whose turn it is |
 * | `worker` (by type) | `workspace_id, agent_id, type_pool, task_count, room` | `ws_1, agent_1, '#bot', 2, 6` | their agents, how many tasks each has (0 without a choice), and how many more it may have |
 * | `candidate` | `task_id, due_date, created_at, score`; by type also the workspace and its place | `task_2, …, 1076000000000` | the best few of each lane and pool, with their scores at `p.now` |
 * | `best` (one agent, after completions) | `task_id, nth` | `task_2, 1` | as many as `capacity` allows, in the order `BEST_OF_ALL`, which has the **tie-break** |
 * | `locked` (one agent, after completions) | `task_id` | `task_2` | locks them in one scan; what another transaction holds is left out |
 * | `picked` | by type `task_id, turn, place, workspace_id, pool`, else `ids` | `task_2, 1, 1, ws_1, '#bot'` | what is locked, best first; locked one by one, except for `locked`; by type the workspaces take turns |
 * | `assigned` (by type) | `workspace_id, share, agent_id, nth` | `ws_1, '', agent_1, 1` | which agent gets the first, second, … task that several may work: the one with the fewest |
 * | `dealt` (by type) | `ids, agents, ords` | `{task_2}, {agent_1}, {1}` | the picked tasks with their agents; what is beyond an agent's room stays |
 * | `dequeued` | none | | takes them from the queue |
 * | `claimed` | the columns of a task, `ord` | `task_2, …, 1000001` | starts them |
 * | `draft` | `workspace_id, ord, type, data, at` | `ws_1, 1000001, 'task.started', …` | the events of `completed` and `claimed`, in order |
 *
 * `logAndClaim`, or `logAndClaimOf` for one workspace, reads `draft`, and writes the events with their deliveries. docs/pickup.md explains lanes, pools
 * and turns.
 */
export const cte = {
  present: 'p',
  completion: 'completion',
  found: 'found',
  done: 'done',
  completed: 'completed',
  requested: 'requested',
  capacity: 'capacity',
  workspaceWalk: 'workspace_walk',
  servedWorkspace: 'served_workspace',
  worker: 'worker',
  candidate: 'candidate',
  best: 'best',
  locked: 'locked',
  picked: 'picked',
  assigned: 'assigned',
  dealt: 'dealt',
  dequeued: 'dequeued',
  claimed: 'claimed',
  draft: 'draft',
} as const

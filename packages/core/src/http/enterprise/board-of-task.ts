import type { Principal } from '../../access/index.js'
import type { Board } from '../../board/index.js'
import type { Surface } from '../../surface.js'

/** The board that a task is on. @throws TaskboardError `TASK_NOT_FOUND`, beyond the caller's reach just the same. */
export async function boardOfTask(surface: Surface, principal: Principal, taskId: string): Promise<Board> {
  return surface.board(await surface.tasks.locate(principal, taskId))
}

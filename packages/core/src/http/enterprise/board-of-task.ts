import type { Principal } from '../../access/index.js'
import type { SurfaceBoard } from '../../board/index.js'
import type { Surface } from '../../surface.js'

/** The board of a task. @throws TaskboardError `TASK_NOT_FOUND`, also for a task beyond the caller's reach. */
export async function boardOfTask(
  surface: Surface,
  principal: Principal,
  taskId: string,
): Promise<SurfaceBoard> {
  return surface.board(await surface.tasks.locate(principal, taskId))
}

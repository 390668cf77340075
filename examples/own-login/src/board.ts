import { createTaskboard, type Storage, type Taskboard } from '@taskboard/core'
import type { SessionHost } from './host.js'

/** Where the host mounts the board. */
export const BASE_PATH = '/kanban'

/** A board that identifies its callers by the host's cookies. Only its own pages and pages of the listed origins can use them. */
export function createBoard(
  storage: Storage,
  authenticate: SessionHost['authenticate'],
  authenticateIntervalMs = 10_000,
): Taskboard {
  return createTaskboard({
    storage,
    authenticate,
    allowedOrigins: ['https://panel.example'],
    // An ended session keeps its WebSockets for at most this time.
    realtime: { authenticateIntervalMs },
  })
}

import { createTaskboard, type Storage, type Taskboard } from '@taskboard/core'
import type { Sessions } from './sessions.js'

/** Where the host mounts the board. */
export const BASE_PATH = '/kanban'

/** A board that knows its callers by the host's cookies. Pages of other origins cannot use them, but for those that are listed. */
export function createBoard(storage: Storage, sessions: Sessions): Taskboard {
  return createTaskboard({
    storage,
    authenticate: (request) => sessions.find(request.header('cookie')),
    allowedOrigins: ['https://panel.example'],
    // A session that ends keeps its WebSockets for at most this time.
    realtime: { authenticateIntervalMs: 10_000 },
  })
}

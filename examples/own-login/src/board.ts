import { createTaskboard, type Storage, type Taskboard } from '@taskboard/core'
import type { Sessions } from './sessions.js'

/** Where the host mounts the board. */
export const BASE_PATH = '/kanban'

/** A board that identifies its callers by the host's cookies. Only pages of its own and of the listed origins can use them. */
export function createBoard(storage: Storage, sessions: Sessions): Taskboard {
  return createTaskboard({
    storage,
    authenticate: (request) => sessions.find(request.header('cookie')),
    allowedOrigins: ['https://panel.example'],
    // An ended session keeps its WebSockets for at most this time.
    realtime: { authenticateIntervalMs: 10_000 },
  })
}

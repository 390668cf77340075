const CACHED_BOARDS = 10_000

/**
 * Boards hold no state, so all callers share one handle: creating one for each request was a sixth of a create's cost. When there
 * are too many, all are discarded.
 */
export function cachedBoards<B>(create: (workspaceId: string) => B): (workspaceId: string) => B {
  const boards = new Map<string, B>()
  return (workspaceId) => {
    let board = boards.get(workspaceId)
    if (board === undefined) {
      if (boards.size >= CACHED_BOARDS) boards.clear()
      boards.set(workspaceId, (board = create(workspaceId)))
    }
    return board
  }
}

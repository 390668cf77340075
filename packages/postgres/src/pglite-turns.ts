/** Who uses the one connection next. */
export interface Turns {
  /**
   * Resolves when the connection is free, to what ends the turn. Callers go in the order in which they asked. Background work,
   * which has a name, waits for them, and while they use the connection work of one name has at most one turn in 50 ms: what
   * arrives in between is done in one statement. It waits no longer than 200 ms for others to be done.
   */
  take(work?: string): Promise<() => void>
}

/** For so long after a caller's turn more of them are expected, and each background work has no more than one turn. */
const SPACING_MS = 50
/** What background work waits for callers at most. */
const MOST_WAIT_MS = 200

interface Background {
  readonly work: string
  readonly since: number
  readonly begin: () => void
}

/** By the time of the process: how long something waits here is part of how long the database takes to answer. */
export function createTurns(now: () => number = () => performance.now()): Turns {
  const callers: (() => void)[] = []
  const background: Background[] = []
  const lastBegun = new Map<string, number>()
  let lastCallerAt = -Infinity
  let isTaken = false
  let timer: NodeJS.Timeout | undefined

  /** When it may begin if no caller waits. */
  function readyAt({ work, since }: Background): number {
    const spaced = Math.min(lastCallerAt, lastBegun.get(work) ?? -Infinity) + SPACING_MS
    return Math.min(spaced, since + MOST_WAIT_MS)
  }

  function begin(turn: () => void): void {
    isTaken = true
    turn()
  }

  function beginBackground(index: number, at: number): void {
    const [chosen] = background.splice(index, 1)
    if (chosen === undefined) return
    lastBegun.set(chosen.work, at)
    begin(chosen.begin)
  }

  function goOn(): void {
    if (isTaken) return
    clearTimeout(timer)
    if (background.length === 0) return beginCaller()
    const at = now()
    const overdue = background.findIndex(({ since }) => since + MOST_WAIT_MS <= at)
    if (overdue >= 0) return beginBackground(overdue, at)
    if (callers.length > 0) return beginCaller()
    const times = background.map(readyAt)
    const earliest = Math.min(...times)
    if (earliest <= at) beginBackground(times.indexOf(earliest), at)
    else timer = setTimeout(goOn, Math.ceil(earliest - at))
  }

  function beginCaller(): void {
    const next = callers.shift()
    if (next !== undefined) begin(next)
  }

  function endOf(work: string | undefined): () => void {
    return () => {
      isTaken = false
      if (work === undefined) lastCallerAt = now()
      goOn()
    }
  }

  return {
    take: (work) =>
      new Promise((resolve) => {
        const turn = () => resolve(endOf(work))
        if (work === undefined) callers.push(turn)
        else background.push({ work, since: now(), begin: turn })
        goOn()
      }),
  }
}

/** Decides whose turn on the one connection is next. */
export interface Turns {
  /**
   * Resolves when the connection is free, to a function that ends the turn. Callers go in the order of their requests.
   * Background work, which has a name, waits for them. While they use the connection, work of one name has at most one turn in
   * 50 ms: one statement does what arrives in between. It waits at most 200 ms for others.
   */
  take(work?: string): Promise<() => void>
}

/** For this long after a caller's turn, more callers are expected, and each background work has at most one turn. */
const SPACING_MS = 50
/** How long background work waits for callers at most. */
const MOST_WAIT_MS = 200

interface Background {
  readonly work: string
  readonly since: number
  readonly begin: () => void
}

/** Uses the time of the process: a wait here is part of the time that the database takes to answer. */
export function createTurns(now: () => number = () => performance.now()): Turns {
  const callers: (() => void)[] = []
  const background: Background[] = []
  const lastBegun = new Map<string, number>()
  let lastCallerAt = -Infinity
  let isTaken = false
  let timer: NodeJS.Timeout | undefined

  /** When the work may begin if no caller waits. */
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

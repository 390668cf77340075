/** Sends what a program reports, in its order. */
export interface Reports<R> {
  /** Resolves when there is room for more. */
  add(report: R): Promise<void>
  /** Resolves when all that was added is sent. */
  sent(): Promise<void>
}

/** How many reports may wait. The program waits at its next one then. */
const MOST_WAITING = 100

/**
 * Sends one report after the other. Of reports that wait behind each other and replace each other, such as the progress, the last one
 * is sent. A fault goes to `onFault`, and the next report is sent.
 */
export function createReports<R>(options: {
  readonly send: (report: R) => Promise<void>
  readonly replaces: (report: R, earlier: R) => boolean
  readonly onFault: (error: unknown) => void
  /** What waits isn't sent any more. */
  readonly signal: AbortSignal
}): Reports<R> {
  const { send, replaces, onFault, signal } = options
  const waiting: R[] = []
  let sending: Promise<void> | null = null
  let room: Room | null = null

  async function sendAll(): Promise<void> {
    // `sending` is set by then.
    await Promise.resolve()
    for (let report = waiting.shift(); report !== undefined; report = waiting.shift()) {
      if (waiting.length < MOST_WAITING) {
        room?.make()
        room = null
      }
      if (!signal.aborted) await send(report).catch(onFault)
    }
    sending = null
  }

  return {
    async add(report) {
      const last = waiting.at(-1)
      if (last !== undefined && replaces(report, last)) waiting[waiting.length - 1] = report
      else waiting.push(report)
      sending ??= sendAll()
      if (waiting.length < MOST_WAITING) return
      room ??= new Room()
      await room.made
    },
    async sent() {
      await sending
    },
  }
}

class Room {
  readonly made: Promise<void>
  #resolve: () => void = () => undefined

  constructor() {
    this.made = new Promise((resolve) => (this.#resolve = resolve))
  }

  make(): void {
    this.#resolve()
  }
}

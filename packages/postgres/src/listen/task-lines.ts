import {
  createListeners,
  type BoundSettings,
  type Listeners,
  type WatchedLine,
} from '@taskboard/core/storage'
import { createThrottle } from './throttle.js'

/** Lines of tasks' logs on their way to other processes. */
export interface TaskLines {
  /** Called with the lines of this process, and of others. */
  readonly lines: Listeners<WatchedLine>
  /** Sends a line to other processes with the next notification. */
  readonly send: (line: WatchedLine) => void
  /** Reads what another process sent. */
  readonly hear: (text: string) => void
  flush(): Promise<void>
}

/** How many lines wait for the next notification; further ones aren't sent to other processes. */
const MOST_WAITING = 200
/** The longest payload that a server accepts is below 8,000 bytes, of which the sender's name takes some. */
const LONGEST_PAYLOAD = 7_800
/** Shorter and shorter beginnings of a line, until one fits. The first is as long as what the realtime channel sends. */
const LENGTHS = [1_000, 500]

/** `notify` sends payloads. */
export function createTaskLines(
  settings: Pick<BoundSettings, 'current'>,
  leastGapMs: number,
  notify: (texts: readonly string[]) => Promise<void>,
): TaskLines {
  const lines = createListeners<WatchedLine>()
  let waiting: WatchedLine[] = []
  const sent = createThrottle(settings, leastGapMs, () => {
    const texts = waiting.flatMap((line) => encodedLine(line) ?? [])
    waiting = []
    if (texts.length === 0) return Promise.resolve()
    const { clock } = settings.current
    return clock.track ? clock.track('task log notification', () => notify(texts)) : notify(texts)
  })
  return {
    lines,
    send(line) {
      if (waiting.length >= MOST_WAITING) return
      waiting.push(line)
      sent.request()
    },
    hear(text) {
      const line = decodedLine(text)
      if (line !== null) lines.call(line)
    },
    flush: () => sent.flush(),
  }
}

function encodedLine({ workspaceId, taskId, at, level, message }: WatchedLine): string | null {
  for (const length of LENGTHS) {
    const text = JSON.stringify([
      workspaceId,
      taskId,
      at,
      level,
      Array.from(message).slice(0, length).join(''),
    ])
    if (Buffer.byteLength(text) <= LONGEST_PAYLOAD) return text
  }
  return null
}

function decodedLine(text: string): WatchedLine | null {
  try {
    const parts = JSON.parse(text) as unknown
    if (!Array.isArray(parts)) return null
    const [workspaceId, taskId, at, level, message] = parts as unknown[]
    const texts = [workspaceId, taskId, level, message]
    if (typeof at !== 'number' || texts.some((each) => typeof each !== 'string')) return null
    return { workspaceId, taskId, at, level, message } as WatchedLine
  } catch {
    return null
  }
}

import { useEffect, useMemo, useState } from 'preact/hooks'
import { client } from '../state/api.js'
import type { Failure } from '../state/failure.js'
import { useMessages } from '../state/use-messages.js'
import type { TaskDetail } from '../state/wire.js'
import { useSubmit } from '../ui/form.js'

export type Line = TaskDetail['logs'][number]

const MOST_LIVE = 500
/** The channel carries the beginning of long lines. */
const COMPARED = 500
/** As many lines come with a task, fit into one response, and are added at a time. */
const PAGE = 100

const keyOf = ({ timestamp, level, message }: Line): string =>
  `${timestamp} ${level} ${message.slice(0, COMPARED)}`

/** The lines of a log that are shown. */
export interface ShownLines {
  readonly lines: readonly Line[]
  /** How many lines before them were read; null when there may be some that weren't. */
  readonly earlier: number | null
  readonly isLoading: boolean
  readonly failure: Failure | null
  /** Shows the page before them. */
  more(): Promise<boolean>
}

/** What was read of a log, oldest line first. Lines are added at its end, so that only its last page is read again. */
interface Read {
  /** Those before the last page. */
  readonly full: readonly Line[]
  /** Where the last page begins. */
  readonly cursor: string | undefined
  readonly last: readonly Line[]
}

async function readOn(
  id: string,
  { full, cursor }: Pick<Read, 'full' | 'cursor'>,
  signal: AbortSignal,
): Promise<Read> {
  const { logs, next_cursor: next } = await client.tasks.logs(id, { limit: PAGE, cursor }, { signal })
  if (next === null) return { full, cursor, last: logs }
  return readOn(id, { full: [...full, ...logs], cursor: next }, signal)
}

/**
 * The lines that came with a task, those that came since, and earlier ones on demand. The server lists a log from its beginning, and keeps
 * few lines. To show the page before the newest ones, all of them are read, and then one page more is shown at a time.
 */
export function useLogLines({ id, logs }: TaskDetail): ShownLines {
  const [read, setRead] = useState<Read | null>(null)
  /** Where the shown part of the lines begins. */
  const [start, setStart] = useState(0)
  const { failure, isBusy, submit } = useSubmit()
  const [abort] = useState(() => new AbortController())
  useEffect(() => () => abort.abort(), [])
  const all = useMemo(() => (read === null ? null : [...read.full, ...read.last]), [read])
  useEffect(() => {
    // The task was read again, and may have missed lines meanwhile. When that fails, what was read stays.
    if (read !== null) readOn(id, read, abort.signal).then(setRead, () => undefined)
  }, [logs])
  const more = (): Promise<boolean> =>
    submit(async () => {
      if (all !== null) return setStart(Math.max(0, start - PAGE))
      const first = await readOn(id, { full: [], cursor: undefined }, abort.signal)
      const lines = [...first.full, ...first.last]
      const at = lines.findIndex((line) => logs[0] !== undefined && keyOf(line) === keyOf(logs[0]))
      setRead(first)
      setStart(Math.max(0, (at < 0 ? lines.length : at) - PAGE))
    })
  const shown = useMemo(() => (all === null ? logs : all.slice(start)), [logs, all, start])
  return {
    lines: useLive(id, shown),
    earlier: all !== null ? start : logs.length < PAGE ? 0 : null,
    isLoading: isBusy,
    failure,
    more,
  }
}

/** Lines, and those that came since. */
function useLive(id: string, lines: readonly Line[]): readonly Line[] {
  const [live, setLive] = useState<readonly Line[]>([])
  useMessages((message) => {
    if (message.type !== 'task.log' || message.task_id !== id) return
    const { timestamp, level, message: line } = message
    setLive((before) => [...before, { timestamp, level, message: line }].slice(-MOST_LIVE))
  })
  return useMemo(() => {
    const known = new Set(lines.map(keyOf))
    const last = lines.at(-1)?.timestamp ?? ''
    return [...lines, ...live.filter((line) => line.timestamp >= last && !known.has(keyOf(line)))]
  }, [lines, live])
}

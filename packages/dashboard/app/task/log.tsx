import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useMessages } from '../state/use-messages.js'
import type { TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Icon } from '../ui/icon.js'

type Line = TaskDetail['logs'][number]

const MOST_LIVE = 500
/** The channel carries the beginning of long lines. */
const COMPARED = 500
const NEAR_END = 24
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

const keyOf = ({ timestamp, level, message }: Line): string =>
  `${timestamp} ${level} ${message.slice(0, COMPARED)}`

/** The lines that were read, and those that came since. */
function useLines({ id, logs }: TaskDetail): readonly Line[] {
  const [live, setLive] = useState<readonly Line[]>([])
  useMessages((message) => {
    if (message.type !== 'task.log' || message.task_id !== id) return
    const { timestamp, level, message: line } = message
    setLive((before) => [...before, { timestamp, level, message: line }].slice(-MOST_LIVE))
  })
  return useMemo(() => {
    const known = new Set(logs.map(keyOf))
    const last = logs.at(-1)?.timestamp ?? ''
    return [...logs, ...live.filter((line) => line.timestamp >= last && !known.has(keyOf(line)))]
  }, [logs, live])
}

/** The log of a task, live. It follows its end, unless somebody has scrolled up. */
export function TaskLog({ task }: { readonly task: TaskDetail }) {
  const lines = useLines(task)
  const ref = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = (): void => {
    if (ref.current !== null) ref.current.scrollTop = ref.current.scrollHeight
  }
  useLayoutEffect(() => {
    if (isAtEnd) toEnd()
  }, [lines])
  if (lines.length === 0 && task.column !== 'doing') return null
  return (
    <section class="task-part">
      <h3>{text.task.log.title}</h3>
      <div class="log-frame">
        <div
          ref={ref}
          class="log"
          role="log"
          aria-live="off"
          aria-label={text.task.log.title}
          tabIndex={0}
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
            setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_END)
          }
        >
          {lines.length === 0 && <p class="quiet">{text.task.log.empty}</p>}
          {lines.map((line, index) => (
            <p key={index} class={`log-line log-${line.level}`}>
              <time dateTime={line.timestamp} title={exact.format(Date.parse(line.timestamp))}>
                {clock.format(Date.parse(line.timestamp))}
              </time>
              <span class="log-level">{text.task.log.levels[line.level]}</span>
              <span class="log-text">{line.message}</span>
            </p>
          ))}
        </div>
        {!isAtEnd && (
          <button type="button" class="button button-small log-end" onClick={toEnd}>
            <Icon name="move" />
            {text.task.log.toEnd}
          </button>
        )}
      </div>
    </section>
  )
}

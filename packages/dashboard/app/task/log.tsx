import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { FormError } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import { useLogLines, type Line, type ShownLines } from './log-lines.js'

const NEAR_END = 24
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

function LogLine({ line }: { readonly line: Line }) {
  return (
    <p class={`log-line log-${line.level}`}>
      <time dateTime={line.timestamp} title={exact.format(Date.parse(line.timestamp))}>
        {clock.format(Date.parse(line.timestamp))}
      </time>
      <span class="log-level">{text.task.log.levels[line.level]}</span>
      <span class="log-text">{line.message}</span>
    </p>
  )
}

/** The button for the page before the shown lines. */
function Earlier({
  of: { failure, isLoading },
  onMore,
}: {
  readonly of: ShownLines
  readonly onMore: () => void
}) {
  return (
    <>
      <button type="button" class="button button-small" aria-disabled={isLoading} onClick={onMore}>
        {isLoading ? text.loading : text.task.log.earlier}
      </button>
      <FormError failure={failure} />
    </>
  )
}

/** The log of a task, live. It follows its end, unless someone has scrolled up. */
export function TaskLog({ task }: { readonly task: TaskDetail }) {
  const shown = useLogLines(task)
  const { lines, earlier } = shown
  const ref = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const drawn = useRef({ earlier, height: 0 })
  const toEnd = (): void => {
    if (ref.current !== null) ref.current.scrollTop = ref.current.scrollHeight
  }
  useLayoutEffect(() => {
    const box = ref.current
    if (box === null) return
    if (isAtEnd) toEnd()
    // Lines that are added before the others push nothing away.
    else if (drawn.current.earlier !== earlier) box.scrollTop += box.scrollHeight - drawn.current.height
    // The button is gone.
    if (earlier === 0 && drawn.current.earlier !== 0) box.focus({ preventScroll: true })
    drawn.current = { earlier, height: box.scrollHeight }
  }, [lines, earlier])
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
          {earlier !== 0 && <Earlier of={shown} onMore={() => void shown.more()} />}
          {lines.map((line, index) => (
            <LogLine key={index} line={line} />
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

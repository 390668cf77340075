import { useEffect, useRef } from 'preact/hooks'
import { can } from '../state/api.js'
import { now } from '../state/clock.js'
import { go, href } from '../state/router.js'
import type { CardTask } from '../state/wire.js'
import { holderName, isWorkedOn } from '../state/work.js'
import { formatCost } from '../texts/format.js'
import { text } from '../texts/index.js'
import { Icon } from '../ui/icon.js'
import { Time } from '../ui/time.js'
import { dragCard } from './drag.js'
import type { Parts } from './parts.js'
import type { BoardStore } from './store.js'

const MOST_TAGS = 3

/** When the task is due, and whether that has passed. */
function Due({ at, isDone }: { readonly at: string; readonly isDone: boolean }) {
  const isOverdue = !isDone && Date.parse(at) < now.value
  return (
    <span class={`fact ${isOverdue ? 'fact-bad' : ''}`}>
      <Icon name="flag" />
      {isOverdue ? `${text.board.overdue}: ` : ''}
      <Time at={at} />
    </span>
  )
}

function Facts({ task, parts }: { readonly task: CardTask; readonly parts: Parts | null }) {
  const cost = task.usage?.cost_usd ?? 0
  const starts = task.not_before !== null && Date.parse(task.not_before) > now.value ? task.not_before : null
  return (
    <div class="facts">
      {task.deadline !== null && <Due at={task.deadline} isDone={task.column === 'done'} />}
      {starts !== null && (
        <span class="fact">
          <Icon name="clock" />
          {text.board.starts} <Time at={starts} />
        </span>
      )}
      {parts !== null && (
        <span class="fact">
          <Icon name="parts" />
          {text.board.subtasks(parts.done, parts.all, parts.hasMore)}
        </span>
      )}
      {cost > 0 && (
        <span class="fact">
          <Icon name="coins" />
          {formatCost(cost)}
        </span>
      )}
      {task.open_dependencies > 0 && (
        <span class="fact">
          <Icon name="parts" />
          {text.board.waitsFor(task.open_dependencies)}
        </span>
      )}
      {task.column === 'doing' && !isWorkedOn(task) && (
        <span class="fact">
          <Icon name="agents" />
          {holderName(task) ?? text.task.byPerson.status}
        </span>
      )}
      {task.agent !== null && (task.column !== 'doing' || isWorkedOn(task)) && (
        <span class="fact">
          <Icon name="agents" />
          {task.agent.name}
        </span>
      )}
      {task.column === 'doing' && task.attempts > 1 && (
        <span class="fact">{text.board.attempts(task.attempts)}</span>
      )}
      {task.column === 'done' && task.completed_at !== null && (
        <span class="fact">
          <Icon name="check" />
          <Time at={task.completed_at} />
        </span>
      )}
    </div>
  )
}

interface CardProps {
  readonly store: BoardStore
  readonly id: string
  readonly onMenu: (id: string) => void
}

/** A task on the board. */
export function Card({ store, id, onMenu }: CardProps) {
  const ref = useRef<HTMLLIElement>(null)
  const task = store.task(id).value
  useEffect(() => {
    if (ref.current === null || !can('tasks:write')) return undefined
    return dragCard(ref.current, { id, title: () => store.task(id).peek()?.title ?? '' })
  }, [id, store])
  if (task === undefined) return <li ref={ref} class="card" />
  const { hold, priority, tags } = task
  return (
    <li
      role="listitem"
      ref={ref}
      class={`card card-${priority} ${hold === null ? '' : `card-hold card-hold-${hold.reason}`}`}
      data-task={id}
      onDblClick={() => go('tasks', id)}
    >
      <div class="card-head">
        <a class="card-title" href={href('tasks', id)} draggable={false} data-card>
          {task.title}
        </a>
        {can('tasks:write') && (
          <button
            type="button"
            class="icon-button card-menu"
            tabIndex={-1}
            aria-label={`${text.board.moveTo}: ${task.title}`}
            onClick={() => onMenu(id)}
          >
            <Icon name="more" />
          </button>
        )}
      </div>
      {hold !== null && (
        <p class="card-hold-line">
          <Icon name="hand" />
          <strong>{text.holds[hold.reason]}</strong>
          {hold.message !== null && hold.message !== '' && <span class="clip">{hold.message}</span>}
        </p>
      )}
      {isWorkedOn(task) && (
        <div
          class="progress"
          role="progressbar"
          aria-valuenow={task.progress}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-label={text.board.progress(task.progress)}
        >
          <div class="progress-bar" style={{ inlineSize: `${task.progress}%` }} />
        </div>
      )}
      <div class="card-foot">
        <span class={`priority priority-${priority}`}>{text.priorities[priority]}</span>
        {task.type !== null && <span class="chip">{task.type}</span>}
        {tags.slice(0, MOST_TAGS).map((tag) => (
          <span key={tag} class="chip chip-tag">
            {tag}
          </span>
        ))}
        {tags.length > MOST_TAGS && <span class="chip">+{tags.length - MOST_TAGS}</span>}
      </div>
      <Facts task={task} parts={store.parts(id).value} />
    </li>
  )
}

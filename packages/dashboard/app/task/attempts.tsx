import { client } from '../state/api.js'
import type { TaskAttempt, TaskDetail } from '../state/wire.js'
import { isWorkedOn } from '../state/work.js'
import { formatSeconds } from '../texts/format.js'
import { text } from '../texts/index.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'

const good = new Set(['completed'])
const bad = new Set(['failed', 'retried', 'expired'])

function tone(outcome: TaskAttempt['outcome']): string {
  if (outcome === null) return ''
  if (good.has(outcome)) return 'chip-good'
  return bad.has(outcome) ? 'chip-bad' : ''
}

function Row({ attempt }: { readonly attempt: TaskAttempt }) {
  const { agent, started_at: started, ended_at: ended, outcome, reason } = attempt
  return (
    <li class="attempt">
      <p class="attempt-head">
        <span class={`chip ${tone(outcome)}`}>
          {outcome === null ? text.task.attempts.now : text.task.attempts.outcomes[outcome]}
        </span>
        <strong class="clip">{agent.name ?? text.task.attempts.deletedAgent}</strong>
        <span class="quiet">
          <Time at={started} />
          {ended !== null && ` · ${formatSeconds((Date.parse(ended) - Date.parse(started)) / 1_000)}`}
        </span>
      </p>
      {reason !== null && reason !== '' && <p class="written attempt-reason">{reason}</p>}
    </li>
  )
}

/** The one in progress, which the list of attempts doesn't have. */
function current(task: TaskDetail): TaskAttempt | null {
  if (!isWorkedOn(task) || task.agent === null || task.started_at === null) return null
  return {
    agent: { id: task.agent.id, name: task.agent.name },
    started_at: task.started_at,
    ended_at: null,
    outcome: null,
    reason: null,
  }
}

/** How each attempt at a task went. */
export function Attempts({ task }: { readonly task: TaskDetail }) {
  const { id, updated_at: at, column, attempts } = task
  const loaded = useLoaded(
    (signal) => client.tasks.attempts(id, { signal }),
    [id, `${column} ${attempts} ${at}`],
  )
  const now = current(task)
  if (attempts === 0 && now === null && (loaded.value?.attempts.length ?? 0) === 0) return null
  return (
    <section class="task-part">
      <h3>{text.task.attempts.title}</h3>
      <Show loaded={loaded}>
        {({ attempts: ended }) => (
          <ol class="attempts">
            {[...ended, ...(now === null ? [] : [now])].map((attempt) => (
              <Row key={attempt.started_at} attempt={attempt} />
            ))}
          </ol>
        )}
      </Show>
    </section>
  )
}

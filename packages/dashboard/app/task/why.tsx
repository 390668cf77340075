import { useEffect } from 'preact/hooks'
import type { TaskScore } from '@taskboard/client'
import { client } from '../state/api.js'
import { href } from '../state/router.js'
import { useReload } from '../state/use-messages.js'
import type { TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Show, useLoaded, type Loaded } from '../ui/states.js'
import { formatExact } from '../texts/format.js'
import { now } from '../state/clock.js'
import { Time } from '../ui/time.js'

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

/** Null outside of To do. */
export type LoadedScore = Loaded<TaskScore | null>

/** Reads where a task stands in To do, and again when that may have changed. */
export function useScore(task: TaskDetail): LoadedScore {
  const { id, updated_at: at, column } = task
  const loaded = useLoaded(
    (signal) => (column === 'todo' ? client.tasks.score(id, { signal }) : Promise.resolve(null)),
    [id, column, at],
  )
  useReload(loaded.reload, ({ type }) => type === 'agent.status')
  const ends = (loaded.value?.waits_for ?? []).flatMap(({ until }) => (until === null ? [] : [until]))
  const isOver = ends.some((until) => Date.parse(until) <= now.value)
  useEffect(() => {
    if (isOver) loaded.reload()
  }, [isOver])
  return loaded
}

type Wait = TaskScore['waits_for'][number]

/** One thing that a task waits for, in a sentence. */
function WaitLine({ wait: { reason, until, count, agents } }: { readonly wait: Wait }) {
  const names = agents.map(({ name }) => name)
  const who = text.task.waits.agents(names, Math.max(0, (count ?? 0) - names.length))
  const { lines } = text.task.waits
  switch (reason) {
    case 'hold':
      return null
    case 'not_before':
      return (
        <li>
          {lines.notBefore} {until !== null && <Time at={until} />}
          {until !== null && ` (${formatExact(Date.parse(until))})`}
        </li>
      )
    case 'dependencies':
      return <li>{lines.dependencies(count ?? 0)}</li>
    case 'no_agent':
      return (
        <li>
          {lines.noAgent} <a href={href('agents')}>{lines.toAgents}</a>
        </li>
      )
    case 'budget':
      return <li>{agents.length === 0 ? lines.budgetOfWorkspace : lines.budget(who)}</li>
    case 'paused':
      return <li>{lines.paused(who, count ?? 0)}</li>
    case 'offline':
      return <li>{lines.offline(who, count ?? 0)}</li>
    case 'resting':
      return (
        <li>
          {lines.resting(who, count ?? 0)} {until !== null && formatExact(Date.parse(until))}
        </li>
      )
  }
}

/** Why no agent can take a task in To do. The hold, if it has one, stands above. */
export function WhyNobody({ loaded }: { readonly loaded: LoadedScore }) {
  const waits = (loaded.value?.waits_for ?? []).filter(({ reason }) => reason !== 'hold')
  if (waits.length === 0) return null
  return (
    <section class="task-note" aria-label={text.task.waits.title}>
      <h3>{text.task.waits.title}</h3>
      <ul>
        {waits.map((wait) => (
          <WaitLine key={wait.reason} wait={wait} />
        ))}
      </ul>
    </section>
  )
}

/** The factors of the score of a task in TODO, unless it waits for more than its turn. */
export function WhyNext({ loaded }: { readonly loaded: LoadedScore }) {
  const { why } = text.task
  const isUnknown = loaded.value === null && loaded.failure === null
  if (isUnknown || (loaded.value?.waits_for.length ?? 0) > 0) return null
  return (
    <section class="task-part">
      <h3>{why.title}</h3>
      <p class="quiet small">{why.hint}</p>
      <Show loaded={loaded}>{(found) => found !== null && <Factors {...found} />}</Show>
    </section>
  )
}

function Factors({ score, factors: parts }: TaskScore) {
  const { why } = text.task
  return (
    <table class="why">
      <thead>
        <tr>
          <th scope="col">{why.factor}</th>
          <th scope="col" class="number">
            {why.value}
          </th>
          <th scope="col" class="number">
            {why.weight}
          </th>
          <th scope="col" class="number">
            {why.points}
          </th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(parts) as (keyof typeof parts)[]).map((name) => {
          const { value, weight } = parts[name]
          return (
            <tr key={name}>
              <th scope="row">
                {why.names[name]}
                <span class="why-bar" aria-hidden="true">
                  <span style={{ inlineSize: `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }} />
                </span>
              </th>
              <td class="number">{number.format(value)}</td>
              <td class="number">{number.format(weight)}</td>
              <td class="number">{number.format(value * weight)}</td>
            </tr>
          )
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={3}>
            {why.score}
          </th>
          <td class="number">
            <strong>{number.format(score)}</strong>
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

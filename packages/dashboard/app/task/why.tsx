import { client } from '../state/api.js'
import type { TaskDetail } from '../state/wire.js'
import { text } from '../text.js'
import { Show, useLoaded } from '../ui/states.js'

const factors = ['flag', 'due', 'age', 'free'] as const
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

/** What makes the score of a task in TODO. */
export function WhyNext({ task }: { readonly task: TaskDetail }) {
  const { id, updated_at: at } = task
  const loaded = useLoaded((signal) => client.tasks.score(id, { signal }), [id, at])
  const { why } = text.task
  return (
    <section class="task-part">
      <h3>{why.title}</h3>
      <p class="quiet small">{why.hint}</p>
      <Show loaded={loaded}>
        {({ score, factors: parts }) => (
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
              {factors.map((name) => {
                const { value, weight } = parts[name]
                return (
                  <tr key={name}>
                    <th scope="row">
                      {why.names[name]}
                      <span class="why-bar" aria-hidden="true">
                        <span
                          style={{ inlineSize: `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }}
                        />
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
        )}
      </Show>
    </section>
  )
}

import { analyticsText as text } from '../texts/analytics.js'
import { formatCost, formatCount } from '../texts/format.js'
import { formatShare } from '../texts/format.js'
import { Plot } from './plot.js'

/** One place of a chart. */
export interface Point {
  readonly key: string
  /** Below the plot. */
  readonly short: string
  /** In the table. */
  readonly long: string
  /** Null where there is nothing to measure. */
  readonly value: number | null
}

/** A plot of values by time, with the same values as a table. */
export function Chart({
  title,
  kind,
  points,
  format,
  isTime = false,
}: {
  readonly title: string
  readonly kind: 'bars' | 'line'
  readonly points: readonly Point[]
  /** Whether the values are seconds. */
  readonly isTime?: boolean
  readonly format: (value: number) => string
}) {
  const values = points.map(({ value }) => value)
  const peak = format(Math.max(0, ...values.map((value) => value ?? 0)))
  return (
    <section class="panel chart">
      <h3>{title}</h3>
      <Plot
        // A plot is drawn once for its values.
        key={points.map(({ key, value }) => `${key}=${value}`).join()}
        kind={kind}
        labels={points.map(({ short }) => short)}
        values={values}
        format={format}
        isTime={isTime}
        label={text.summary(title, points.length, peak)}
      />
      <details>
        <summary>{text.tableOf(title)}</summary>
        <div class="table-scroll" tabIndex={0} role="group" aria-label={text.tableOf(title)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{text.columns.period}</th>
                <th scope="col" class="number">
                  {text.columns.value}
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ key, long, value }) => (
                <tr key={key}>
                  <th scope="row">{long}</th>
                  <td class="number">{value === null ? text.nothing : format(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}

/** One row of a table with bars. */
export interface Share {
  readonly key: string
  readonly name: string
  readonly cost: number
  readonly tokens: number
  readonly reports: number
}

/** Costs by a group, the dearest first: a table in which each row has a bar. */
export function Shares({ title, shares }: { readonly title: string; readonly shares: readonly Share[] }) {
  const all = shares.reduce((sum, { cost }) => sum + cost, 0)
  const most = Math.max(0, ...shares.map(({ cost }) => cost))
  return (
    <section class="panel">
      <h3 id={`shares-${title}`}>{title}</h3>
      {shares.length === 0 ? (
        <p class="quiet">{text.noUsage}</p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="group" aria-label={title}>
          <table class="shares">
            <thead>
              <tr>
                <th scope="col">{text.columns.name}</th>
                <th scope="col" class="number">
                  {text.figures.cost}
                </th>
                <th scope="col" class="number">
                  {text.columns.share}
                </th>
                <th scope="col" class="number">
                  {text.columns.tokens}
                </th>
              </tr>
            </thead>
            <tbody>
              {[...shares]
                .sort((a, b) => b.cost - a.cost)
                .map(({ key, name, cost, tokens }) => (
                  <tr key={key}>
                    <th scope="row">
                      <bdi>{name}</bdi>
                      <span class="share-bar" aria-hidden="true">
                        <span style={{ inlineSize: `${most > 0 ? (cost / most) * 100 : 0}%` }} />
                      </span>
                    </th>
                    <td class="number">{formatCost(cost)}</td>
                    <td class="number">{formatShare(all > 0 ? cost / all : 0)}</td>
                    <td class="number">{formatCount(tokens)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

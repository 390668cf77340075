import type { Delivery } from '../state/wire.js'
import { formatCount, formatExact } from '../texts/format.js'
import { sectionsText } from '../texts/sections.js'
import { Time } from '../ui/time.js'

const text = sectionsText.deliveries

const tones: Readonly<Record<Delivery['status'], string>> = {
  pending: 'warn',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'quiet',
}

/** A delivery in one line. */
export function DeliveryLine({ delivery }: { readonly delivery: Delivery }) {
  const { event, status, attempt_count: count, next_attempt_at: next } = delivery
  return (
    <span class="delivery-line">
      <span class={`chip chip-${tones[status]}`}>{text.statuses[status]}</span>
      <code>{event.type}</code>
      <span class="quiet">
        <Time at={event.at} />
      </span>
      <span class="quiet">{text.attempts(count)}</span>
      {next !== null && (
        <span class="quiet">
          {text.next} <Time at={next} />
        </span>
      )}
    </span>
  )
}

/** What each attempt sent and got. */
export function DeliveryDetails({ delivery }: { readonly delivery: Delivery }) {
  if (delivery.attempts.length === 0) return null
  const label = text.attempts(delivery.attempt_count)
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="attempt-table">
        <thead>
          <tr>
            <th scope="col">{text.columns.at}</th>
            <th scope="col" class="number">
              {text.columns.duration}
            </th>
            <th scope="col" class="number">
              {text.columns.status}
            </th>
            <th scope="col">{text.columns.answer}</th>
          </tr>
        </thead>
        <tbody>
          {delivery.attempts.map((attempt) => (
            <tr key={attempt.at}>
              <td>
                <time dateTime={attempt.at}>{formatExact(Date.parse(attempt.at))}</time>
              </td>
              <td class="number">{text.milliseconds(formatCount(Math.round(attempt.duration_ms)))}</td>
              <td class="number">{attempt.status ?? '–'}</td>
              <td>
                {attempt.error !== null && <p class="field-error">{attempt.error}</p>}
                {attempt.response !== null && attempt.response !== '' ? (
                  <pre class="answer" tabIndex={0}>
                    {attempt.response}
                  </pre>
                ) : (
                  attempt.error === null && <span class="quiet">{text.noAnswer}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

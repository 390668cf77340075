import { useState } from 'preact/hooks'
import { replace } from '../state/router.js'
import { analyticsText as text } from '../texts/analytics.js'
import { Select, TextInput } from '../ui/form.js'
import { daysOf, groupings, lastDays, LONGEST_DAYS, periodHash, viewerZone, type Period } from './period.js'

const presets = [7, 30, 90, 365] as const

function problemOf({ from, to }: Pick<Period, 'from' | 'to'>): string | null {
  if (from === '' || to === '' || from > to) return text.invalid
  return daysOf({ from, to }) > LONGEST_DAYS ? text.tooLong : null
}

/** Chooses the days that are shown. */
export function PeriodForm({ period }: { readonly period: Period }) {
  const [days, setDays] = useState<Pick<Period, 'from' | 'to'>>(period)
  const problem = problemOf(days)
  const show = (next: Pick<Period, 'from' | 'to'>): void => {
    setDays(next)
    if (problemOf(next) === null) replace(periodHash({ ...next, by: period.by }))
  }
  const zone = viewerZone()
  return (
    <section class="period" aria-label={text.period}>
      <div class="period-presets" role="group" aria-label={text.period}>
        {presets.map((count) => {
          const preset = lastDays(count)
          const isShown = preset.from === period.from && preset.to === period.to
          return (
            <button
              key={count}
              type="button"
              class="button"
              aria-pressed={isShown}
              onClick={() => show(preset)}
            >
              {text.presets[count]}
            </button>
          )
        })}
      </div>
      <div class="period-fields">
        <TextInput
          label={text.from}
          type="date"
          required
          value={days.from}
          onValue={(from) => show({ ...days, from })}
          error={problem}
        />
        <TextInput
          label={text.to}
          type="date"
          required
          value={days.to}
          onValue={(to) => show({ ...days, to })}
        />
        <Select
          label={text.by}
          value={period.by}
          options={groupings.map((one) => [one, text.groups[one]] as const)}
          onValue={(by) => replace(periodHash({ ...period, by }))}
        />
      </div>
      <p class="hint">{zone.isUtc ? text.sameZone : text.zone(zone.begins, zone.name)}</p>
    </section>
  )
}

import { sectionsText as text } from '../texts/sections.js'
import { CheckList } from '../ui/checks.js'

/** A choice of events, by the names that programs see. */
export function EventPicker<Event extends string>({
  all,
  value,
  error,
  onValue,
}: {
  readonly all: readonly Event[]
  readonly value: readonly Event[]
  readonly error: string | null
  readonly onValue: (value: readonly Event[]) => void
}) {
  return (
    <div class="events">
      <CheckList
        label={text.events.label}
        options={all.map((event) => [event, event] as const)}
        value={value}
        onValue={onValue}
        error={error}
      />
      <div class="actions">
        <button type="button" class="button button-small" onClick={() => onValue(all)}>
          {text.events.all}
        </button>
        <button type="button" class="button button-small" onClick={() => onValue([])}>
          {text.events.none}
        </button>
      </div>
    </div>
  )
}

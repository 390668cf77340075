import type { NotificationChannel, Webhook } from '../state/wire.js'
import { sectionsText as text } from '../texts/sections.js'
import { CheckList } from '../ui/checks.js'

export type WebhookEvent = Webhook['events'][number]
export type ChannelEvent = NotificationChannel['events'][number]

export const channelEvents = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'task.moved',
  'task.commented',
  'task.updated',
  'task.cancelled',
  'task.released',
  'task.deleted',
  'approval.requested',
  'approval.decided',
  'agent.alert',
] as const satisfies readonly ChannelEvent[]

export const webhookEvents = [
  ...channelEvents,
  'email.received',
  'order.new',
] as const satisfies readonly WebhookEvent[]

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

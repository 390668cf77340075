import { useEffect, useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { now } from '../state/clock.js'
import { coalesce } from '../state/coalesce.js'
import { onMessage } from '../state/live.js'
import { complain, inform } from '../state/notices.js'
import type { Delivery } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { FormError, Select, TextInput, useSubmit } from '../ui/form.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { Empty } from '../ui/states.js'
import { fromLocalInput } from '../ui/time.js'
import { DeliveryDetails, DeliveryLine } from './delivery.js'

const text = sectionsText.deliveries
const PAGE_SIZE = 25
const SETTLE_MS = 2_000
const statuses = ['pending', 'succeeded', 'failed', 'skipped'] as const
/** What is due this soon changes while someone looks. */
const SOON_MS = 10_000
const POLL_MS = 3_000
type Filter = '' | (typeof statuses)[number]

function isDueSoon({ next_attempt_at: next }: Delivery): boolean {
  return next !== null && Date.parse(next) < now.peek() + SOON_MS
}

/** The log of deliveries to a webhook. A change of `round` reads it again. */
export function Deliveries({ webhookId, round }: { readonly webhookId: string; readonly round: number }) {
  const [status, setStatus] = useState<Filter>('')
  const pages = usePages<Delivery>(
    async (cursor, signal) => {
      const query = { limit: PAGE_SIZE, cursor, ...(status === '' ? {} : { status }) }
      const answer = await client.webhooks.deliveries(webhookId, query, { signal })
      return { items: answer.deliveries, next: answer.next_cursor }
    },
    [webhookId, status],
  )
  useEffect(() => {
    if (round > 0) pages.reload()
  }, [round])
  const isDue = pages.items?.some(isDueSoon) ?? false
  useEffect(() => {
    if (!isDue) return undefined
    const timer = setInterval(pages.reload, POLL_MS)
    return () => clearInterval(timer)
  }, [isDue])
  useEffect(() => {
    const settle = coalesce(pages.reload, SETTLE_MS)
    const stop = onMessage(({ type }) => {
      if (type !== 'task.log' && type !== 'task.progress') settle()
    })
    return () => {
      stop()
      settle.cancel()
    }
  }, [])
  return (
    <section class="panel" aria-labelledby="deliveries">
      <div class="panel-head">
        <h2 id="deliveries">{text.title}</h2>
        <span class="spacer" />
        <div class="inline-field">
          <Select
            label={text.status}
            value={status}
            options={[['', text.any], ...statuses.map((one) => [one, text.statuses[one]] as const)]}
            onValue={setStatus}
          />
        </div>
        <button type="button" class="button" onClick={pages.reload}>
          {text.reload}
        </button>
      </div>
      {can('webhooks:write') && <ResendRange webhookId={webhookId} onResent={pages.reload} />}
      <ShowPages pages={pages} empty={<Empty title={status === '' ? text.empty : text.emptyFiltered} />}>
        {(deliveries) => (
          <ul class="row-list">
            {deliveries.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                webhookId={webhookId}
                delivery={delivery}
                onResent={pages.reload}
              />
            ))}
          </ul>
        )}
      </ShowPages>
    </section>
  )
}

function DeliveryRow({
  webhookId,
  delivery,
  onResent,
}: {
  readonly webhookId: string
  readonly delivery: Delivery
  readonly onResent: () => void
}) {
  const resend = async (): Promise<void> => {
    const { resent } = await client.webhooks.resend(webhookId, { delivery_id: delivery.id })
    inform(text.resent(resent))
    onResent()
  }
  return (
    <li>
      <details class="row-main">
        <summary>
          <DeliveryLine delivery={delivery} />
        </summary>
        <DeliveryDetails delivery={delivery} />
      </details>
      {can('webhooks:write') && delivery.status !== 'pending' && (
        <button
          type="button"
          class="button button-small"
          aria-label={`${text.resend}: ${delivery.event.type}`}
          onClick={() => void resend().catch(complain)}
        >
          {text.resend}
        </button>
      )}
    </li>
  )
}

function ResendRange({ webhookId, onResent }: { readonly webhookId: string; readonly onResent: () => void }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const range = { from: fromLocalInput(from) ?? undefined, to: fromLocalInput(to) ?? undefined }
      const { resent } = await client.webhooks.resend(webhookId, range)
      inform(text.resent(resent))
      onResent()
    })
  }
  return (
    <details>
      <summary>{text.range}</summary>
      <form onSubmit={(event) => void onSubmit(event)}>
        <p class="hint">{text.rangeHint}</p>
        <div class="columns-2">
          <TextInput
            label={text.from}
            type="datetime-local"
            required
            value={from}
            onValue={setFrom}
            error={errorOf('from')}
          />
          <TextInput
            label={text.to}
            type="datetime-local"
            required
            value={to}
            onValue={setTo}
            error={errorOf('to')}
          />
        </div>
        <FormError failure={failure} fields={['from', 'to']} />
        <div>
          <button class="button" disabled={isBusy}>
            {text.resend}
          </button>
        </div>
      </form>
    </details>
  )
}

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import type { Delivery, Webhook } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { DeliveryDetails, DeliveryLine } from './delivery.js'

const text = sectionsText.webhooks
const POLL_MS = 500
/** An endpoint has 30 seconds to answer. */
const MOST_POLLS = 80
const NEWEST = 25

const isTried = ({ status, attempts }: Delivery): boolean => status !== 'pending' || attempts.length > 0

/** A delivery as soon as it was tried once. */
async function tried(webhookId: string, first: Delivery, signal: AbortSignal): Promise<Delivery> {
  let delivery = first
  for (let poll = 0; poll < MOST_POLLS && !isTried(delivery); poll++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    signal.throwIfAborted()
    const { deliveries } = await client.webhooks.deliveries(webhookId, { limit: NEWEST }, { signal })
    delivery = deliveries.find(({ id }) => id === first.id) ?? delivery
  }
  return delivery
}

/** The button that sends a sample, among others, and what came of it. */
export function TestWebhook({
  webhook,
  onTested,
  children,
}: {
  readonly webhook: Webhook
  readonly onTested: () => void
  readonly children: ComponentChildren
}) {
  const [result, setResult] = useState<Delivery | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [abort] = useState(() => new AbortController())
  const isGone = useRef(false)
  useEffect(
    () => () => {
      isGone.current = true
      abort.abort()
    },
    [],
  )
  const test = async (): Promise<void> => {
    setBusy(true)
    setResult(null)
    try {
      const delivery = await tried(webhook.id, await client.webhooks.test(webhook.id, {}), abort.signal)
      setResult(delivery)
      announce(sectionsText.deliveries.statuses[delivery.status])
      onTested()
    } catch (error) {
      if (!isGone.current) complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div class="actions">
        <button type="button" class="button button-primary" disabled={isBusy} onClick={() => void test()}>
          {isBusy ? text.testing : text.test}
        </button>
        {children}
      </div>
      {isBusy && <p class="quiet">{text.waiting}</p>}
      {result !== null && (
        <div class="result" role="group" aria-label={text.tested}>
          <h3>{text.tested}</h3>
          <DeliveryLine delivery={result} />
          <DeliveryDetails delivery={result} />
        </div>
      )}
    </>
  )
}

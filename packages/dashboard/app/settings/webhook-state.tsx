import type { Webhook } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { Time } from '../ui/time.js'

const text = sectionsText.webhooks

/** Whether a webhook works. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabled_reason: reason, failing_since: failingSince, signed, weak_secret: weak } = webhook
  return (
    <>
      {enabled ? (
        <span class="chip chip-good">{text.enabled}</span>
      ) : (
        <span class="chip chip-bad">{reason === null ? text.disabled : text.disabledReasons[reason]}</span>
      )}
      {failingSince !== null && (
        <span class="chip chip-warn">
          {text.failing} <Time at={failingSince} />
        </span>
      )}
      {!signed && <span class="chip">{text.unsigned}</span>}
      {weak && <span class="chip chip-warn">{text.weak}</span>}
    </>
  )
}

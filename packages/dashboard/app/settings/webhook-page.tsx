import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import { go, href } from '../state/router.js'
import type { Webhook } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Confirm } from '../ui/dialog.js'
import { SecretOnce } from '../ui/secret.js'
import { Show, useLoaded } from '../ui/states.js'
import { Deliveries } from './deliveries.js'
import { RotateSecret, type RotatedSecret } from './rotate-secret.js'
import { TestWebhook } from './test-webhook.js'
import { WebhookForm } from './webhook-form.js'
import { WebhookState } from './webhook-state.js'

const text = sectionsText.webhooks

/** One webhook, with the log of its deliveries. */
export function WebhookPage({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => client.webhooks.get(id, { signal }), [id])
  const [sentTests, setSentTests] = useState(0)
  return (
    <>
      <p>
        <a href={href('settings', 'webhooks')}>← {text.back}</a>
      </p>
      <Show loaded={loaded}>
        {(webhook) => (
          <WebhookCard
            webhook={webhook}
            onChanged={loaded.reload}
            onTested={() => setSentTests(sentTests + 1)}
          />
        )}
      </Show>
      {loaded.value !== null && <Deliveries webhookId={id} round={sentTests} />}
    </>
  )
}

interface CardProps {
  readonly webhook: Webhook
  readonly onChanged: () => void
  readonly onTested: () => void
}

function WebhookCard({ webhook, onChanged, onTested }: CardProps) {
  const [secret, setSecret] = useState<RotatedSecret | null>(null)
  return (
    <>
      <section class="panel" aria-labelledby="webhook-url">
        <div class="panel-head">
          <h2 id="webhook-url" class="row-main">
            <bdi>{webhook.url}</bdi>
          </h2>
          <span class="chips">
            <WebhookState webhook={webhook} />
          </span>
        </div>
        <p class="chips">
          {webhook.events.map((event) => (
            <span key={event} class="chip">
              {event}
            </span>
          ))}
        </p>
        {can('webhooks:write') && (
          <WebhookActions webhook={webhook} onChanged={onChanged} onTested={onTested} onSecret={setSecret} />
        )}
      </section>
      {secret !== null && (
        <SecretOnce
          key={secret.secret}
          title={text.onceTitle}
          note={secret.note}
          value={secret.secret}
          done={text.done}
          onDone={() => setSecret(null)}
        />
      )}
    </>
  )
}

type Open = 'edit' | 'delete' | 'rotate'

function WebhookActions({
  webhook,
  onChanged,
  onTested,
  onSecret,
}: CardProps & { readonly onSecret: (secret: RotatedSecret) => void }) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const enable = async (enabled: boolean): Promise<void> => {
    await client.webhooks.update(webhook.id, { enabled })
    announce(enabled ? text.isEnabled : text.isDisabled)
    onChanged()
  }
  const remove = async (): Promise<void> => {
    await client.webhooks.delete(webhook.id)
    announce(text.isDeleted)
    go('settings', 'webhooks')
  }
  return (
    <>
      <TestWebhook webhook={webhook} onTested={onTested}>
        <button type="button" class="button" onClick={() => setOpen('edit')}>
          {common.actions.edit}
        </button>
        <button type="button" class="button" onClick={() => void enable(!webhook.enabled).catch(complain)}>
          {webhook.enabled ? text.disable : text.enable}
        </button>
        <button type="button" class="button" onClick={() => setOpen('rotate')}>
          {text.rotate}
        </button>
        <button type="button" class="button button-danger" onClick={() => setOpen('delete')}>
          {common.actions.delete}
        </button>
      </TestWebhook>
      {open === 'edit' && <WebhookForm webhook={webhook} onClose={close} onSaved={onChanged} />}
      {open === 'rotate' && (
        <RotateSecret
          webhook={webhook}
          onClose={close}
          onRotated={(secret) => {
            onSecret(secret)
            onChanged()
          }}
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={text.deleteTitle}
          message={text.deleteMessage(webhook.url)}
          action={common.actions.delete}
          onConfirm={() => void remove().catch(complain)}
          onClose={close}
        />
      )}
    </>
  )
}

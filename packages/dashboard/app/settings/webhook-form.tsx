import { useState } from 'preact/hooks'
import { client, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { Webhook } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { EventPicker, webhookEvents, type WebhookEvent } from './events.js'
import { FormActions } from './section.js'

const text = sectionsText.webhooks
const usual: readonly WebhookEvent[] = ['task.completed', 'task.failed']

/** Creates a webhook, or changes the one that is given. */
export function WebhookForm({
  webhook,
  onClose,
  onSaved,
}: {
  readonly webhook: Webhook | null
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook) => void
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? usual)
  const [secret, setSecret] = useState('')
  const idempotencyKey = useRequestKey([url, events, secret])
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const save = () =>
    webhook === null
      ? client.webhooks.create(
          {
            url: url.trim(),
            events,
            workspace_id: workspaceId(),
            secret: secret === '' ? null : secret,
          },
          { idempotencyKey },
        )
      : client.webhooks.update(webhook.id, { url: url.trim(), events })
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const saved = await save()
      announce(common.actions.saved)
      onClose()
      onSaved(saved)
    })
  }
  return (
    <Dialog title={webhook === null ? text.create : text.edit} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <TextInput
          label={text.url}
          hint={text.urlHint}
          type="url"
          required
          autofocus
          autocomplete="off"
          value={url}
          onValue={setUrl}
          error={errorOf('url')}
        />
        <EventPicker all={webhookEvents} value={events} onValue={setEvents} error={errorOf('events')} />
        {webhook === null && (
          <TextInput
            label={text.secret}
            hint={text.secretHint}
            type="password"
            autocomplete="new-password"
            maxLength={256}
            value={secret}
            onValue={setSecret}
            error={errorOf('secret')}
          />
        )}
        <FormError failure={failure} fields={['url', 'events', 'secret']} />
        <FormActions
          submit={webhook === null ? text.submit : common.actions.save}
          isBusy={isBusy}
          cancel={common.actions.cancel}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

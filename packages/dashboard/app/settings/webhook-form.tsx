import { client, config, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { Webhook } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { TextInput, useForm } from '../ui/form.js'
import { EventPicker } from './events.js'

const text = sectionsText.webhooks
const usual: Webhook['events'] = ['task.completed', 'task.failed']

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
  const form = useForm({ url: webhook?.url ?? '', events: webhook?.events ?? usual, secret: '' })
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const { events, secret } = form.draft
    const url = form.draft.url.trim()
    const created = { url, events, workspace_id: workspaceId(), secret: secret === '' ? null : secret }
    const saved =
      webhook === null
        ? await client.webhooks.create(created, { idempotencyKey })
        : await client.webhooks.update(webhook.id, { url, events })
    announce(common.actions.saved)
    onClose()
    onSaved(saved)
  }
  const [title, action] = webhook === null ? [text.create, text.submit] : [text.edit]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      <TextInput
        label={text.url}
        hint={text.urlHint}
        type="url"
        required
        autofocus
        autocomplete="off"
        {...form.field('url')}
      />
      <EventPicker all={config.events.webhooks} {...form.field('events')} />
      {webhook === null && (
        <TextInput
          label={text.secret}
          hint={text.secretHint}
          type="password"
          autocomplete="new-password"
          maxLength={256}
          {...form.field('secret')}
        />
      )}
    </FormDialog>
  )
}

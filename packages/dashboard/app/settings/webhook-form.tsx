import { client, config, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { Webhook } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextInput, useForm } from '../ui/form.js'
import { EventPicker } from './events.js'

const text = sectionsText.webhooks
const usual: Webhook['events'] = ['task.completed', 'task.failed']
const signatures = ['generated', 'own', 'none'] as const

interface Draft {
  readonly url: string
  readonly events: Webhook['events']
  readonly signature: (typeof signatures)[number]
  readonly secret: string
}

/** Creates a webhook, or changes the one that is given. `onSaved` gets the secret that was generated, which is shown only once. */
export function WebhookForm({
  webhook,
  onClose,
  onSaved,
}: {
  readonly webhook: Webhook | null
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook, secret: string | null) => void
}) {
  const form = useForm<Draft>({
    url: webhook?.url ?? '',
    events: webhook?.events ?? usual,
    signature: 'generated',
    secret: '',
  })
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const { events, signature, secret } = form.draft
    const url = form.draft.url.trim()
    const created = {
      url,
      events,
      workspace_id: workspaceId(),
      secret: signature === 'own' ? secret : null,
      generate_secret: signature === 'generated',
    }
    const saved =
      webhook === null
        ? await client.webhooks.create(created, { idempotencyKey })
        : { ...(await client.webhooks.update(webhook.id, { url, events })), secret: null }
    announce(common.actions.saved)
    onClose()
    onSaved(saved, saved.secret)
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
        <Select
          label={text.signature}
          options={signatures.map((one) => [one, text.signatures[one]] as const)}
          {...form.field('signature')}
        />
      )}
      {webhook === null && form.draft.signature === 'own' && (
        <TextInput
          label={text.secret}
          hint={text.secretHint}
          type="password"
          autocomplete="new-password"
          required
          maxLength={256}
          {...form.field('secret')}
        />
      )}
    </FormDialog>
  )
}

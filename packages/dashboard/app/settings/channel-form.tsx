import { client, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { NotificationChannel } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextArea, TextInput, useForm } from '../ui/form.js'
import { configOf, draftOf, isKnownType, nameOfType, type ConfigDraft } from './channel-config.js'
import { channelEvents, EventPicker, type ChannelEvent } from './events.js'

const text = sectionsText.channels
const usual: readonly ChannelEvent[] = ['task.failed', 'approval.requested', 'agent.alert']

/** Creates a channel, or changes the one that is given. */
export function ChannelForm({
  channel,
  types,
  onClose,
  onSaved,
}: {
  readonly channel: NotificationChannel | null
  /** Those that the host has registered. */
  readonly types: readonly string[]
  readonly onClose: () => void
  readonly onSaved: () => void
}) {
  const form = useForm(() => ({
    type: types[0] ?? '',
    name: channel?.name ?? '',
    events: channel?.events ?? usual,
    config: draftOf(channel),
  }))
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const { type, events, config } = form.draft
    const body = { name: form.draft.name.trim(), events, config: configOf(type, config) }
    if (channel === null) {
      const created = { ...body, type, workspace_id: workspaceId() }
      await client.notificationChannels.create(created, { idempotencyKey })
    } else await client.notificationChannels.update(channel.id, body)
    announce(common.actions.saved)
    onClose()
    onSaved()
  }
  const [title, action] = channel === null ? [text.create, text.submit] : [text.edit]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      {channel === null && (
        <Select
          label={text.type}
          options={types.map((one) => [one, nameOfType(one)] as const)}
          {...form.field('type')}
        />
      )}
      <TextInput label={text.name} required maxLength={100} {...form.field('name')} />
      <ConfigFields
        type={form.draft.type}
        isNew={channel === null}
        draft={form.draft.config}
        onDraft={(config) => form.set({ config })}
        errorOf={(field) => form.field('config', field).error}
      />
      <EventPicker all={channelEvents} {...form.field('events')} />
    </FormDialog>
  )
}

function ConfigFields({
  type,
  isNew,
  draft,
  onDraft,
  errorOf,
}: {
  readonly type: string
  readonly isNew: boolean
  readonly draft: ConfigDraft
  readonly onDraft: (draft: ConfigDraft) => void
  readonly errorOf: (field: string) => string | null
}) {
  if (type === 'email') {
    return (
      <TextArea
        label={text.to}
        hint={text.toHint}
        required
        rows={3}
        value={draft.to}
        onValue={(to) => onDraft({ ...draft, to })}
        error={errorOf('config.to') ?? errorOf('config')}
      />
    )
  }
  if (isKnownType(type)) {
    return (
      <TextInput
        label={text.url}
        hint={isNew ? undefined : text.keepSecret}
        type="url"
        autocomplete="off"
        required={isNew}
        placeholder={isNew ? '' : '********'}
        value={draft.url}
        onValue={(url) => onDraft({ ...draft, url })}
        error={errorOf('config.url') ?? errorOf('config')}
      />
    )
  }
  return (
    <TextArea
      label={text.config}
      hint={text.configHint}
      rows={5}
      spellcheck={false}
      value={draft.json}
      onValue={(json) => onDraft({ ...draft, json })}
      error={errorOf('config')}
    />
  )
}

import { client, config as host, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { ChannelType, NotificationChannel } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextInput, useForm } from '../ui/form.js'
import { ConfigFields, configOf, draftOf, isShown } from './channel-config.js'
import { EventPicker } from './events.js'

const text = sectionsText.channels
const usual: NotificationChannel['events'] = ['task.failed', 'approval.requested', 'agent.alert']

/** Creates a channel of one of the types, or changes the one that is given. */
export function ChannelForm({
  channel,
  types,
  onClose,
  onSaved,
}: {
  readonly channel: NotificationChannel | null
  /** Those that the host has registered: at least one for a new channel. */
  readonly types: readonly ChannelType[]
  readonly onClose: () => void
  readonly onSaved: () => void
}) {
  const find = (name: string | undefined) => types.find((type) => type.name === name)
  const before = channel?.config ?? {}
  const form = useForm(() => {
    const type = find(channel?.type) ?? types[0]
    return {
      type: channel?.type ?? type?.name ?? '',
      name: channel?.name ?? '',
      events: channel?.events ?? usual,
      config: type === undefined ? {} : draftOf(type, before),
    }
  })
  const idempotencyKey = useRequestKey([form.draft])
  // None when the host no longer registers it: then the configuration stays as it is.
  const type = find(form.draft.type)
  const send = async (): Promise<void> => {
    const { events, config } = form.draft
    const body = {
      name: form.draft.name.trim(),
      events,
      ...(type === undefined ? {} : { config: configOf(type, config, before) }),
    }
    if (channel === null) {
      const created = { config: {}, ...body, type: form.draft.type, workspace_id: workspaceId() }
      await client.notificationChannels.create(created, { idempotencyKey })
    } else await client.notificationChannels.update(channel.id, body)
    announce(common.actions.saved)
    onClose()
    onSaved()
  }
  const choose = (name: string): void => {
    const chosen = find(name)
    const config = chosen === undefined ? {} : draftOf(chosen, {})
    form.set({ type: name, config: { ...config, ...form.draft.config } })
  }
  const refused = form.failure?.field === 'config' ? form.failure : null
  if (type !== undefined && isShown(type, refused)) form.fields.add('config')
  const [title, action] = channel === null ? [text.create, text.submit] : [text.edit]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      {channel === null && (
        <Select
          label={text.type}
          options={types.map(({ name, label }) => [name, label] as const)}
          {...form.field('type')}
          onValue={choose}
        />
      )}
      <TextInput label={text.name} required maxLength={100} {...form.field('name')} />
      {type !== undefined && (
        <ConfigFields
          type={type}
          isNew={channel === null}
          failure={refused}
          draft={form.draft.config}
          onDraft={(config) => form.set({ config })}
        />
      )}
      <EventPicker all={host.events.channels} {...form.field('events')} />
    </FormDialog>
  )
}

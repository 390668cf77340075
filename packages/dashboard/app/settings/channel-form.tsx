import { useState } from 'preact/hooks'
import { client, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import type { NotificationChannel } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, Select, TextArea, TextInput, useSubmit } from '../ui/form.js'
import { configOf, draftOf, isKnownType, nameOfType, type ConfigDraft } from './channel-config.js'
import { channelEvents, EventPicker, type ChannelEvent } from './events.js'
import { FormActions } from './section.js'

const text = sectionsText.channels
const usual: readonly ChannelEvent[] = ['task.failed', 'approval.requested', 'agent.alert']
const configFields = ['config.url', 'config.to', 'config']

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
  const [type, setType] = useState(types[0] ?? '')
  const [name, setName] = useState(channel?.name ?? '')
  const [events, setEvents] = useState<readonly ChannelEvent[]>(channel?.events ?? usual)
  const [draft, setDraft] = useState(() => draftOf(channel))
  const idempotencyKey = useRequestKey([type, name, events, draft])
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const body = { name: name.trim(), events, config: configOf(type, draft) }
      if (channel === null) {
        await client.notificationChannels.create(
          { ...body, type, workspace_id: workspaceId() },
          { idempotencyKey },
        )
      } else await client.notificationChannels.update(channel.id, body)
      announce(common.actions.saved)
      onClose()
      onSaved()
    })
  }
  const shownFields = ['name', 'events', ...(channel === null ? ['type'] : []), ...configFields]
  return (
    <Dialog title={channel === null ? text.create : text.edit} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        {channel === null && (
          <Select
            label={text.type}
            value={type}
            options={types.map((one) => [one, nameOfType(one)] as const)}
            onValue={setType}
            error={errorOf('type')}
          />
        )}
        <TextInput
          label={text.name}
          required
          maxLength={100}
          value={name}
          onValue={setName}
          error={errorOf('name')}
        />
        <ConfigFields
          type={type}
          isNew={channel === null}
          draft={draft}
          onDraft={setDraft}
          errorOf={errorOf}
        />
        <EventPicker all={channelEvents} value={events} onValue={setEvents} error={errorOf('events')} />
        <FormError failure={failure} fields={shownFields} />
        <FormActions
          submit={channel === null ? text.submit : common.actions.save}
          isBusy={isBusy}
          cancel={common.actions.cancel}
          onCancel={onClose}
        />
      </form>
    </Dialog>
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

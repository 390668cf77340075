import { useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import type { ChannelType, NotificationChannel } from '../state/wire.js'
import { formatCount } from '../texts/format.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { usePages } from '../ui/pages.js'
import { Failed, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { ChannelForm } from './channel-form.js'
import { ResourceList, ResourceRow } from './resource-list.js'

const text = sectionsText.channels
const PAGE_SIZE = 50

/** The channels that notify people. */
export function Channels() {
  const pages = usePages<NotificationChannel>(async (cursor, signal) => {
    const query = { workspace_id: workspaceId(), limit: PAGE_SIZE, cursor }
    const answer = await client.notificationChannels.list(query, { signal })
    return { items: answer.notification_channels, next: answer.next_cursor }
  }, [])
  const types = useLoaded(async (signal) => {
    const answer = await client.notificationChannels.types({ signal })
    return answer.notification_channel_types
  }, [])
  const offered = types.value ?? []
  const isWithoutTypes = types.value?.length === 0
  return (
    <ResourceList
      title={settingsText.tabs.channels}
      about={isWithoutTypes ? text.noTypes : text.about}
      create={can('webhooks:write') && offered.length > 0 && text.create}
      form={(close) => <ChannelForm channel={null} types={offered} onClose={close} onSaved={pages.reload} />}
      notice={types.failure !== null && <Failed failure={types.failure} onRetry={types.reload} />}
      pages={pages}
      empty={isWithoutTypes ? text.none : text.empty}
    >
      {(channel) => (
        <ChannelRow key={channel.id} channel={channel} types={offered} onChanged={pages.reload} />
      )}
    </ResourceList>
  )
}

/** A channel, and the types that the host has registered. */
interface ChannelProps {
  readonly channel: NotificationChannel
  readonly types: readonly ChannelType[]
}

function ChannelFacts({ channel, types }: ChannelProps) {
  const { name, type, events } = channel
  const label = types.find((one) => one.name === type)?.label ?? type
  return (
    <div class="row-main">
      <p class="row-title">
        <bdi>{name}</bdi> <span class="chip">{label}</span>
        {channel.failing_since !== null && (
          <span class="chip chip-bad">
            {text.failing} <Time at={channel.failing_since} />
          </span>
        )}
      </p>
      <p class="quiet row-facts">
        <span>{sectionsText.events.count(events.length)}</span>
        {channel.last_delivered_at === null ? (
          <span>{text.never}</span>
        ) : (
          <span>
            {text.delivered} <Time at={channel.last_delivered_at} />
          </span>
        )}
      </p>
      {channel.last_error !== null && (
        <p class="field-error">
          {text.lastError}: {channel.last_error}
        </p>
      )}
    </div>
  )
}

function ChannelRow({ channel, types, onChanged }: ChannelProps & { readonly onChanged: () => void }) {
  const mayChange = can('webhooks:write')
  const remove = async (): Promise<void> => {
    await client.notificationChannels.delete(channel.id)
    announce(text.isDeleted(channel.name))
    onChanged()
  }
  return (
    <ResourceRow
      name={channel.name}
      before={mayChange && <TestChannel channel={channel} onTested={onChanged} />}
      actions={[
        mayChange && {
          label: common.actions.edit,
          dialog: (close) => (
            <ChannelForm channel={channel} types={types} onClose={close} onSaved={onChanged} />
          ),
        },
        mayChange && {
          label: common.actions.delete,
          isDangerous: true,
          confirm: { title: text.deleteTitle, message: text.deleteMessage(channel.name) },
          run: remove,
        },
      ]}
    >
      <ChannelFacts channel={channel} types={types} />
    </ResourceRow>
  )
}

function TestChannel({
  channel,
  onTested,
}: {
  readonly channel: NotificationChannel
  readonly onTested: () => void
}) {
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<{ readonly isGood: boolean; readonly message: string } | null>(null)
  const test = async (): Promise<void> => {
    setBusy(true)
    try {
      const { delivered, error, duration_ms: took } = await client.notificationChannels.test(channel.id, {})
      const message = delivered
        ? text.isTested(formatCount(took))
        : text.testFailed(error ?? common.errors.unexpected)
      setResult({ isGood: delivered, message })
      onTested()
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button
        type="button"
        class="button button-small"
        aria-label={`${text.test}: ${channel.name}`}
        disabled={isBusy}
        onClick={() => void test().catch(complain)}
      >
        {isBusy ? text.testing : text.test}
      </button>
      {result !== null && (
        <span class={`test-result ${result.isGood ? 'is-good' : 'field-error'}`} role="status">
          {result.message}
        </span>
      )}
    </>
  )
}

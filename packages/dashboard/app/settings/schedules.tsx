import { useEffect } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { coalesce } from '../state/coalesce.js'
import { onMessage } from '../state/live.js'
import { announce } from '../state/notices.js'
import { href } from '../state/router.js'
import type { Schedule } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { usePages } from '../ui/pages.js'
import { Time } from '../ui/time.js'
import { describeCron, formatInZone } from './cron.js'
import { ResourceList, ResourceRow } from './resource-list.js'
import { ScheduleForm } from './schedule-form.js'

const text = sectionsText.schedules
const PAGE_SIZE = 50

/** Tasks that come back. */
export function Schedules() {
  const pages = usePages<Schedule>(async (cursor, signal) => {
    const query = { workspace_id: workspaceId(), limit: PAGE_SIZE, cursor }
    const answer = await client.schedules.list(query, { signal })
    return { items: answer.schedules, next: answer.next_cursor }
  }, [])
  useEffect(() => {
    const settle = coalesce(pages.reload)
    // An occurrence adds a task.
    const stop = onMessage(({ type }) => type === 'task.created' && settle())
    return () => {
      stop()
      settle.cancel()
    }
  }, [])
  return (
    <ResourceList
      title={settingsText.tabs.schedules}
      about={text.about}
      create={can('tasks:write') && text.create}
      form={(close) => <ScheduleForm schedule={null} onClose={close} onSaved={pages.reload} />}
      pages={pages}
      empty={text.empty}
    >
      {(schedule) => <ScheduleRow key={schedule.id} schedule={schedule} onChanged={pages.reload} />}
    </ResourceList>
  )
}

function ScheduleFacts({ schedule }: { readonly schedule: Schedule }) {
  const { task, cron, time_zone: zone, next_at: next, last_task_id: lastId, last_at: last } = schedule
  return (
    <div class="row-main">
      <p class="row-title">
        <bdi>{task.title}</bdi> {!schedule.enabled && <span class="chip chip-warn">{text.disabled}</span>}
      </p>
      <p class="quiet row-facts">
        <span title={cron}>{describeCron(cron)}</span>
        <span>{zone}</span>
        {next !== null && (
          <span>
            {text.next}: <span title={formatInZone(next, zone)}>{formatInZone(next, zone)}</span> (
            <Time at={next} />)
          </span>
        )}
        {lastId !== null && last !== null && (
          <a href={href('tasks', lastId)}>
            {text.last}: <Time at={last} />
          </a>
        )}
      </p>
      {schedule.last_error !== null && (
        <p class="field-error">
          {text.lastError}: {schedule.last_error}
        </p>
      )}
    </div>
  )
}

function ScheduleRow({
  schedule,
  onChanged,
}: {
  readonly schedule: Schedule
  readonly onChanged: () => void
}) {
  const mayChange = can('tasks:write')
  const { title } = schedule.task
  const enable = async (enabled: boolean): Promise<void> => {
    await client.schedules.update(schedule.id, { enabled })
    announce(`${enabled ? text.enabled : text.disabled}: ${title}`)
    onChanged()
  }
  const remove = async (): Promise<void> => {
    await client.schedules.delete(schedule.id)
    announce(text.isDeleted)
    onChanged()
  }
  return (
    <ResourceRow
      name={title}
      actions={[
        mayChange && {
          label: schedule.enabled ? text.disable : text.enable,
          run: () => enable(!schedule.enabled),
        },
        mayChange && {
          label: common.actions.edit,
          dialog: (close) => <ScheduleForm schedule={schedule} onClose={close} onSaved={onChanged} />,
        },
        mayChange && {
          label: common.actions.delete,
          isDangerous: true,
          confirm: { title: text.deleteTitle, message: text.deleteMessage(title) },
          run: remove,
        },
      ]}
    >
      <ScheduleFacts schedule={schedule} />
    </ResourceRow>
  )
}

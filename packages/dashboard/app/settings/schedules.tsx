import { useEffect, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { coalesce } from '../state/coalesce.js'
import { onMessage } from '../state/live.js'
import { announce, complain } from '../state/notices.js'
import { href } from '../state/router.js'
import type { Schedule } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { Confirm } from '../ui/dialog.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { Empty } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { describeCron, formatInZone } from './cron.js'
import { ScheduleForm } from './schedule-form.js'
import { SectionHead } from './section.js'

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
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <SectionHead
        title={settingsText.tabs.schedules}
        about={text.about}
        add={can('tasks:write') && text.create}
        onAdd={() => setCreating(true)}
      />
      <section class="panel" aria-label={settingsText.tabs.schedules}>
        <ShowPages pages={pages} empty={<Empty title={text.empty} />}>
          {(schedules) => (
            <ul class="row-list">
              {schedules.map((schedule) => (
                <ScheduleRow key={schedule.id} schedule={schedule} onChanged={pages.reload} />
              ))}
            </ul>
          )}
        </ShowPages>
      </section>
      {isCreating && (
        <ScheduleForm schedule={null} onClose={() => setCreating(false)} onSaved={pages.reload} />
      )}
    </>
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
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setOpen(null)
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
  const toggle = schedule.enabled ? text.disable : text.enable
  return (
    <li>
      <ScheduleFacts schedule={schedule} />
      {can('tasks:write') && (
        <div class="actions">
          <button
            type="button"
            class="button button-small"
            aria-label={`${toggle}: ${title}`}
            onClick={() => void enable(!schedule.enabled).catch(complain)}
          >
            {toggle}
          </button>
          <button
            type="button"
            class="button button-small"
            aria-label={`${common.actions.edit}: ${title}`}
            onClick={() => setOpen('edit')}
          >
            {common.actions.edit}
          </button>
          <button
            type="button"
            class="button button-small button-danger"
            aria-label={`${common.actions.delete}: ${title}`}
            onClick={() => setOpen('delete')}
          >
            {common.actions.delete}
          </button>
        </div>
      )}
      {open === 'edit' && <ScheduleForm schedule={schedule} onClose={close} onSaved={onChanged} />}
      {open === 'delete' && (
        <Confirm
          title={text.deleteTitle}
          message={text.deleteMessage(title)}
          action={common.actions.delete}
          onConfirm={() => void remove().catch(complain)}
          onClose={close}
        />
      )}
    </li>
  )
}

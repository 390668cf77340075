import { useEffect, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { inform } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import { priorities, type Agent, type Schedule } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Check } from '../ui/checks.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextArea, TextInput, useForm } from '../ui/form.js'
import { formatInZone, presetOptions, timeZones } from './cron.js'
import { bodyOf, draftOf, type ScheduleDraft } from './schedule-draft.js'

const text = sectionsText.schedules
const MOST_AGENTS = 1_000

interface FieldsProps {
  readonly form: ReturnType<typeof useForm<ScheduleDraft>>
}

/** Creates a schedule, or changes the one that is given. */
export function ScheduleForm({
  schedule,
  onClose,
  onSaved,
}: {
  readonly schedule: Schedule | null
  readonly onClose: () => void
  readonly onSaved: () => void
}) {
  const form = useForm(() => draftOf(schedule))
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const body = bodyOf(form.draft, schedule)
    const saved =
      schedule === null
        ? await client.schedules.create({ ...body, workspace_id: workspaceId() }, { idempotencyKey })
        : await client.schedules.update(schedule.id, body)
    onClose()
    inform(saved.next_at === null ? text.isSaved : text.nextIs(formatInZone(saved.next_at, saved.time_zone)))
    onSaved()
  }
  const [title, action] = schedule === null ? [text.create, text.submit] : [text.edit]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      <WhenFields form={form} />
      {schedule?.next_at != null && (
        <p class="hint">
          {text.next}: {formatInZone(schedule.next_at, schedule.time_zone)}
        </p>
      )}
      <TaskFields form={form} />
    </FormDialog>
  )
}

function WhenFields({ form: { draft, field } }: FieldsProps) {
  const cron = field('cron')
  const { value: isEnabled, onValue: onEnabled } = field('enabled')
  return (
    <>
      <div class="columns-2">
        <Select
          label={text.when}
          options={presetOptions}
          {...field('preset')}
          error={draft.preset === 'custom' ? null : cron.error}
        />
        <Select
          label={text.zone}
          options={timeZones(draft.zone).map((zone) => [zone, zone] as const)}
          {...field('zone', 'time_zone')}
        />
      </div>
      {draft.preset === 'custom' && (
        <TextInput
          label={text.cron}
          hint={text.cronHint}
          required
          spellcheck={false}
          autocomplete="off"
          {...cron}
        />
      )}
      <Select
        label={text.overlap}
        options={(['skip', 'allow'] as const).map((one) => [one, text.overlaps[one]] as const)}
        {...field('overlap')}
      />
      <Check label={text.enabled} checked={isEnabled} onValue={onEnabled} />
    </>
  )
}

function TaskFields({ form: { draft, field } }: FieldsProps) {
  const [agents, setAgents] = useState<readonly Agent[]>([])
  useEffect(() => {
    if (!can('agents:read')) return
    client.agents.list({ workspace_id: workspaceId(), limit: MOST_AGENTS }).then(
      (page) => setAgents(page.agents),
      () => undefined,
    )
  }, [])
  const { create } = common
  const isUnknown = draft.assignedTo !== '' && !agents.some(({ id }) => id === draft.assignedTo)
  return (
    <fieldset class="group">
      <legend>{text.task}</legend>
      <TextInput label={create.name} required maxLength={200} {...field('title', 'task.title')} />
      <TextArea
        label={create.description}
        hint={common.task.markdownHint}
        {...field('description', 'task.description')}
      />
      <div class="columns-2">
        <Select
          label={create.priority}
          options={priorities.map((one) => [one, common.priorities[one]] as const)}
          {...field('priority', 'task.priority')}
        />
        <Select
          label={create.assignedTo}
          options={[
            ['', create.anyAgent] as const,
            ...(isUnknown ? [[draft.assignedTo, draft.assignedTo] as const] : []),
            ...agents.map(({ id, name }) => [id, name] as const),
          ]}
          {...field('assignedTo', 'task.assigned_to')}
        />
        <TextInput label={create.type} maxLength={64} {...field('type', 'task.type')} />
        <TextInput label={create.tags} hint={create.tagsHint} {...field('tags', 'task.tags')} />
      </div>
    </fieldset>
  )
}

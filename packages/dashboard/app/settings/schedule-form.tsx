import { useEffect, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { inform } from '../state/notices.js'
import { useRequestKey } from '../state/request-key.js'
import { priorities, type Agent, type Schedule } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Check } from '../ui/checks.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, Select, TextArea, TextInput, useSubmit } from '../ui/form.js'
import { formatInZone, presetOptions, timeZones } from './cron.js'
import { bodyOf, draftOf, type ScheduleDraft } from './schedule-draft.js'
import { FormActions } from './section.js'

const text = sectionsText.schedules
const MOST_AGENTS = 1_000
const shownFields = [
  'cron',
  'time_zone',
  'task.title',
  'task.description',
  'task.type',
  'task.assigned_to',
  'task.tags',
]

interface FieldsProps {
  readonly draft: ScheduleDraft
  readonly set: <Name extends keyof ScheduleDraft>(name: Name) => (value: ScheduleDraft[Name]) => void
  readonly errorOf: (field: string) => string | null
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
  const [draft, setDraft] = useState(() => draftOf(schedule))
  const idempotencyKey = useRequestKey([draft])
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const set: FieldsProps['set'] = (name) => (value) => setDraft({ ...draft, [name]: value })
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = bodyOf(draft, schedule)
    await submit(async () => {
      const saved =
        schedule === null
          ? await client.schedules.create({ ...body, workspace_id: workspaceId() }, { idempotencyKey })
          : await client.schedules.update(schedule.id, body)
      onClose()
      inform(
        saved.next_at === null ? text.isSaved : text.nextIs(formatInZone(saved.next_at, saved.time_zone)),
      )
      onSaved()
    })
  }
  return (
    <Dialog title={schedule === null ? text.create : text.edit} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <WhenFields draft={draft} set={set} errorOf={errorOf} />
        {schedule?.next_at != null && (
          <p class="hint">
            {text.next}: {formatInZone(schedule.next_at, schedule.time_zone)}
          </p>
        )}
        <TaskFields draft={draft} set={set} errorOf={errorOf} />
        <FormError failure={failure} fields={shownFields} />
        <FormActions
          submit={schedule === null ? text.submit : common.actions.save}
          isBusy={isBusy}
          cancel={common.actions.cancel}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

function WhenFields({ draft, set, errorOf }: FieldsProps) {
  return (
    <>
      <div class="columns-2">
        <Select
          label={text.when}
          value={draft.preset}
          options={presetOptions}
          onValue={set('preset')}
          error={draft.preset === 'custom' ? null : errorOf('cron')}
        />
        <Select
          label={text.zone}
          value={draft.zone}
          options={timeZones(draft.zone).map((zone) => [zone, zone] as const)}
          onValue={set('zone')}
          error={errorOf('time_zone')}
        />
      </div>
      {draft.preset === 'custom' && (
        <TextInput
          label={text.cron}
          hint={text.cronHint}
          required
          spellcheck={false}
          autocomplete="off"
          value={draft.cron}
          onValue={set('cron')}
          error={errorOf('cron')}
        />
      )}
      <Select
        label={text.overlap}
        value={draft.overlap}
        options={(['skip', 'allow'] as const).map((one) => [one, text.overlaps[one]] as const)}
        onValue={set('overlap')}
      />
      <Check label={text.enabled} checked={draft.enabled} onValue={set('enabled')} />
    </>
  )
}

function TaskFields({ draft, set, errorOf }: FieldsProps) {
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
      <TextInput
        label={create.name}
        required
        maxLength={200}
        value={draft.title}
        onValue={set('title')}
        error={errorOf('task.title')}
      />
      <TextArea
        label={create.description}
        hint={common.task.markdownHint}
        value={draft.description}
        onValue={set('description')}
        error={errorOf('task.description')}
      />
      <div class="columns-2">
        <Select
          label={create.priority}
          value={draft.priority}
          options={priorities.map((one) => [one, common.priorities[one]] as const)}
          onValue={set('priority')}
        />
        <Select
          label={create.assignedTo}
          value={draft.assignedTo}
          options={[
            ['', create.anyAgent] as const,
            ...(isUnknown ? [[draft.assignedTo, draft.assignedTo] as const] : []),
            ...agents.map(({ id, name }) => [id, name] as const),
          ]}
          onValue={set('assignedTo')}
          error={errorOf('task.assigned_to')}
        />
        <TextInput
          label={create.type}
          maxLength={64}
          value={draft.type}
          onValue={set('type')}
          error={errorOf('task.type')}
        />
        <TextInput
          label={create.tags}
          hint={create.tagsHint}
          value={draft.tags}
          onValue={set('tags')}
          error={errorOf('task.tags')}
        />
      </div>
    </fieldset>
  )
}

import type { CreateScheduleBody } from '@taskboard/client'
import { splitList } from '../agents/agent-form.js'
import type { Priority, Schedule } from '../state/wire.js'
import { presetOf, presets, type Preset } from './cron.js'

/** What the form of a schedule holds. */
export interface ScheduleDraft {
  readonly preset: Preset
  readonly cron: string
  readonly zone: string
  readonly overlap: Schedule['overlap']
  readonly enabled: boolean
  readonly title: string
  readonly description: string
  readonly type: string
  readonly priority: Priority
  readonly assignedTo: string
  readonly tags: string
}

/** The form of a schedule, or of a new one. */
export function draftOf(schedule: Schedule | null): ScheduleDraft {
  const task = schedule?.task
  const cron = schedule?.cron ?? presets.weekdays
  return {
    preset: presetOf(cron),
    cron,
    zone: schedule?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    overlap: schedule?.overlap ?? 'skip',
    enabled: schedule?.enabled ?? true,
    title: task?.title ?? '',
    description: task?.description ?? '',
    type: task?.type ?? '',
    priority: task?.priority ?? 'medium',
    assignedTo: task?.assigned_to ?? '',
    tags: task?.tags.join(', ') ?? '',
  }
}

/** The body of the wire. Fields that the form doesn't show stay as they were. */
export function bodyOf(draft: ScheduleDraft, before: Schedule | null): CreateScheduleBody {
  const { preset, cron, zone, overlap, enabled } = draft
  return {
    cron: preset === 'custom' ? cron.trim() : presets[preset],
    time_zone: zone,
    overlap,
    enabled,
    task: {
      title: draft.title.trim(),
      description: draft.description === '' ? null : draft.description,
      type: draft.type.trim() === '' ? null : draft.type.trim(),
      priority: draft.priority,
      assigned_to: draft.assignedTo === '' ? null : draft.assignedTo,
      tags: splitList(draft.tags),
      metadata: before?.task.metadata ?? null,
      budget: before?.task.budget ?? null,
    },
  }
}

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { keepDraft, keptDraft } from '../state/drafts.js'
import { inform } from '../state/notices.js'
import type { TaskChange, TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { FormError, useSubmit } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import type { LiveTask } from './use-task.js'

/** How a field of a task is read, typed and saved. */
export interface EditableField<Draft> {
  /** Its name on the wire. */
  readonly name: keyof typeof text.task.fields
  /** The value of a task, as a person types it. */
  pick(task: TaskDetail): Draft
  toBody(draft: Draft): TaskChange
  show(task: TaskDetail): ComponentChildren
  editor(props: {
    readonly draft: Draft
    readonly error: string | null
    readonly onDraft: (draft: Draft) => void
  }): ComponentChildren
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

interface EditableProps<Draft> {
  readonly live: LiveTask
  readonly task: TaskDetail
  readonly field: EditableField<Draft>
  /** How it stands in the page when it isn't edited. */
  readonly frame: (children: ComponentChildren, editButton: ComponentChildren) => ComponentChildren
}

interface Typed<Draft> {
  readonly draft: Draft
  /** What the field was when the edit began. */
  readonly begun: Draft
}

/** The text that a person types into a field, from the first click to the response of the server. It survives the end of the panel. */
function useEdit<Draft>({ live, task, field }: Omit<EditableProps<Draft>, 'frame'>) {
  const form = `${field.name} ${task.id}`
  const [typed, setTyped] = useState(() => keptDraft(form) as Typed<Draft> | null)
  const isOpen = useRef(false)
  isOpen.current = typed !== null
  useEffect(
    () => () => {
      if (isOpen.current && keptDraft(form) !== null) inform(text.task.draftKept)
    },
    [form],
  )
  const { failure, isBusy, submit, errorOf, clear } = useSubmit()
  const value = field.pick(task)
  const draft = typed === null ? null : typed.draft
  const show = (next: Typed<Draft>): void => {
    setTyped(next)
    keepDraft(form, isSame(next.draft, next.begun) ? null : next)
  }
  const restart = (): void => show({ draft: value, begun: value })
  const begin = (): void => show((keptDraft(form) as Typed<Draft> | null) ?? { draft: value, begun: value })
  /** Closes the form; what was typed is there when it is opened again. */
  const pause = (): void => {
    setTyped(null)
    clear()
  }
  const end = (): void => {
    keepDraft(form, null)
    pause()
  }
  const save = async (): Promise<void> => {
    if (draft === null) return
    if (isSame(draft, value)) return end()
    let isSaved = false
    await submit(async () => {
      const fresh = await client.tasks.get(task.id)
      // What nobody has seen yet is not overwritten: it is shown first.
      if (!isSame(field.pick(fresh), value)) return live.put(fresh)
      live.put(await client.tasks.update(task.id, field.toBody(draft)))
      isSaved = true
    })
    if (isSaved) end()
  }
  return {
    draft,
    type: (next: Draft): void => (typed === null ? undefined : show({ ...typed, draft: next })),
    begin,
    restart,
    pause,
    end,
    save,
    failure,
    isBusy,
    error: errorOf(field.name),
    /** Someone else changed it since the edit began. */
    isNewer: typed !== null && !isSame(value, typed.begun),
  }
}

type Edit<Draft> = ReturnType<typeof useEdit<Draft>>

interface EditFormProps<Draft> {
  readonly edit: Edit<Draft>
  readonly draft: Draft
  readonly field: EditableField<Draft>
  readonly task: TaskDetail
}

function EditForm<Draft>({ edit, draft, field, task }: EditFormProps<Draft>) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), [])
  return (
    <form
      ref={form}
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault()
        void edit.save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // Ends the edit, and not the whole panel.
          event.preventDefault()
          event.stopPropagation()
          edit.pause()
        }
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void edit.save()
      }}
    >
      {field.editor({ draft, error: edit.error, onDraft: edit.type })}
      {edit.isNewer && (
        <div class="newer" role="alert">
          <p>{text.task.newer}</p>
          <div class="newer-value">{field.show(task)}</div>
          <button type="button" class="button button-small" onClick={edit.restart}>
            {text.task.takeNewer}
          </button>
        </div>
      )}
      <FormError failure={edit.failure} fields={[field.name]} />
      <div class="edit-actions">
        <button type="button" class="button button-small" onClick={edit.end}>
          {text.actions.cancel}
        </button>
        <button class="button button-small button-primary" aria-disabled={edit.isBusy}>
          {edit.isNewer ? text.task.saveMine : text.actions.save}
        </button>
      </div>
    </form>
  )
}

/** A field of a task that is edited in its place. Changes by others in that time are shown, and no typed text is lost. */
export function Editable<Draft>({ frame, ...parts }: EditableProps<Draft>) {
  const { task, field } = parts
  const edit = useEdit(parts)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  const isEditing = edit.draft !== null
  useEffect(() => {
    if (!isEditing && wasEditing.current) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (edit.draft !== null) return <EditForm edit={edit} draft={edit.draft} field={field} task={task} />
  const label = text.task.edit(text.task.fields[field.name])
  return (
    <>
      {frame(
        field.show(task),
        can('tasks:write') && (
          <button
            ref={button}
            type="button"
            class="icon-button edit-button"
            aria-label={label}
            title={label}
            onClick={edit.begin}
          >
            <Icon name="pencil" />
          </button>
        ),
      )}
    </>
  )
}

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import type { TaskChange, TaskDetail } from '../state/wire.js'
import { text } from '../text.js'
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
  /** How it stands in the page when it is not edited. */
  readonly frame: (children: ComponentChildren, editButton: ComponentChildren) => ComponentChildren
}

/** A field of a task that is edited in its place. What others change meanwhile is shown, and nothing typed is lost. */
export function Editable<Draft>({ live, task, field, frame }: EditableProps<Draft>) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const [begun, setBegun] = useState<Draft | null>(null)
  const { failure, isBusy, submit, errorOf, clear } = useSubmit()
  const form = useRef<HTMLFormElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  const isEditing = draft !== null
  const value = field.pick(task)
  useEffect(() => {
    if (isEditing) form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus()
    else if (wasEditing.current) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])

  const end = (): void => {
    setDraft(null)
    clear()
  }
  const save = async (): Promise<void> => {
    if (draft === null) return
    if (isSame(draft, value)) return end()
    const isDone = { value: false }
    await submit(async () => {
      const fresh = await client.tasks.get(task.id)
      // What nobody has seen yet is not overwritten: it is shown first.
      if (!isSame(field.pick(fresh), value)) return live.put(fresh)
      live.put(await client.tasks.update(task.id, field.toBody(draft)))
      isDone.value = true
    })
    if (isDone.value) end()
  }

  const label = text.task.fields[field.name]
  if (!isEditing) {
    return (
      <>
        {frame(
          field.show(task),
          can('tasks:write') && (
            <button
              ref={button}
              type="button"
              class="icon-button edit-button"
              aria-label={text.task.edit(label)}
              title={text.task.edit(label)}
              onClick={() => {
                setBegun(() => value)
                setDraft(() => value)
              }}
            >
              <Icon name="pencil" />
            </button>
          ),
        )}
      </>
    )
  }
  const isNewer = !isSame(value, begun)
  return (
    <form
      ref={form}
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // Ends the edit, and not the whole panel.
          event.preventDefault()
          event.stopPropagation()
          end()
        }
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
      }}
    >
      {field.editor({ draft, error: errorOf(field.name), onDraft: (next) => setDraft(() => next) })}
      {isNewer && (
        <div class="newer" role="alert">
          <p>{text.task.newer}</p>
          <div class="newer-value">{field.show(task)}</div>
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              setBegun(() => value)
              setDraft(() => value)
            }}
          >
            {text.task.takeNewer}
          </button>
        </div>
      )}
      <FormError failure={failure} fields={[field.name]} />
      <div class="edit-actions">
        <button type="button" class="button button-small" onClick={end}>
          {text.actions.cancel}
        </button>
        <button class="button button-small button-primary" disabled={isBusy}>
          {isNewer ? text.task.saveMine : text.actions.save}
        </button>
      </div>
    </form>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { client, workspaceId } from '../state/api.js'
import { href } from '../state/router.js'
import type { Task } from '../state/wire.js'
import { text } from '../texts/index.js'
import { TextInput } from '../ui/form.js'
import type { EditableField } from './editable.js'

const TYPING_MS = 300
const MOST_FOUND = 8
type Other = Pick<Task, 'title' | 'column'> | null | undefined
const titles = new Map<string, Other>()

/** Null once it was deleted; what is known stays when the server can't be reached. */
async function readOther(id: string, signal: AbortSignal): Promise<Other> {
  try {
    const task = await client.tasks.get(id, { signal })
    titles.set(id, task)
    return task
  } catch (error) {
    return (error as { readonly status?: number }).status === 404 ? null : titles.get(id)
  }
}

function useOther(id: string): Other {
  const [other, setOther] = useState(() => titles.get(id))
  useEffect(() => {
    const abort = new AbortController()
    void readOther(id, abort.signal).then((found) => abort.signal.aborted || setOther(found))
    return () => abort.abort()
  }, [id])
  return other
}

/** A link to another task, with its state. */
export function OtherTask({ id }: { readonly id: string }) {
  const other = useOther(id)
  if (other === null) return <span class="quiet">{text.task.dependencies.deleted}</span>
  return (
    <span class="other-task">
      <a href={href('tasks', id)}>{other?.title ?? id}</a>
      {other !== undefined && (
        <span class={`chip ${other.column === 'done' ? 'chip-good' : ''}`}>{text.columns[other.column]}</span>
      )}
    </span>
  )
}

interface EditorProps {
  readonly ids: readonly string[]
  readonly self: string
  readonly error: string | null
  readonly onIds: (ids: readonly string[]) => void
}

/** The tasks that match what is typed; null while nothing is. */
function useFound(typed: string): readonly Task[] | null {
  const [found, setFound] = useState<readonly Task[] | null>(null)
  const words = typed.trim()
  useEffect(() => {
    if (words === '') return setFound(null)
    const abort = new AbortController()
    const find = async (): Promise<void> => {
      const query = { workspace_id: workspaceId(), q: words, limit: MOST_FOUND }
      const { tasks } = await client.tasks.list(query, { signal: abort.signal }).catch(() => ({ tasks: [] }))
      if (!abort.signal.aborted) setFound(tasks)
    }
    const timer = setTimeout(() => void find(), TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words])
  return found
}

function DependenciesEditor({ ids, self, error, onIds }: EditorProps) {
  const [typed, setTyped] = useState('')
  const found = useFound(typed)
  const others = found?.filter(({ id }) => id !== self && !ids.includes(id))
  return (
    <div
      class="field"
      onKeyDown={(event) => {
        // In the search it would save the field.
        const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey
        if (isPlain && event.target instanceof HTMLInputElement) event.preventDefault()
      }}
    >
      <span class="prop-label">{text.task.fields.depends_on}</span>
      <ul class="picked">
        {ids.map((id) => (
          <li key={id}>
            <OtherTask id={id} />
            <button
              type="button"
              class="icon-button"
              aria-label={text.task.dependencies.remove(titles.get(id)?.title ?? id)}
              onClick={() => onIds(ids.filter((one) => one !== id))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <TextInput
        label={text.task.dependencies.search}
        type="search"
        maxLength={200}
        value={typed}
        onValue={setTyped}
        error={error}
      />
      {others !== undefined && (
        <>
          <small class="hint" role="status">
            {text.task.dependencies.found(others.length)}
          </small>
          <ul class="choices">
            {others.map((task) => (
              <li key={task.id}>
                <button
                  type="button"
                  class="button button-small button-wide found"
                  aria-label={text.task.dependencies.add(task.title)}
                  onClick={() => {
                    titles.set(task.id, task)
                    onIds([...ids, task.id])
                    setTyped('')
                  }}
                >
                  <span class="clip">{task.title}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

export const dependenciesField: EditableField<{
  readonly ids: readonly string[]
  readonly self: string
}> = {
  name: 'depends_on',
  pick: ({ depends_on: ids, id: self }) => ({ ids, self }),
  toBody: ({ ids }) => ({ depends_on: ids }),
  show: ({ depends_on: ids, open_dependencies: open }) =>
    ids.length === 0 ? (
      <span class="quiet">{text.task.dependencies.none}</span>
    ) : (
      <ul class="others" key={open}>
        {ids.map((id) => (
          <li key={id}>
            <OtherTask id={id} />
          </li>
        ))}
      </ul>
    ),
  editor: ({ draft, error, onDraft }) => (
    <DependenciesEditor
      ids={draft.ids}
      self={draft.self}
      error={error}
      onIds={(ids) => onDraft({ ...draft, ids })}
    />
  ),
}

import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { newKey } from '../state/new-key.js'
import { isOf, taskIdOf } from '../state/live.js'
import { href } from '../state/router.js'
import { useMessages, useReload } from '../state/use-messages.js'
import type { Task, TaskDetail } from '../state/wire.js'
import { isWorkedOn } from '../state/work.js'
import { text } from '../texts/index.js'
import { announce } from '../state/notices.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import { Show, useLoaded } from '../ui/states.js'

const MOST_SUBTASKS = 200

function state({ column, hold, progress, attempts }: Task): string {
  if (hold !== null) return text.holds[hold.reason]
  return isWorkedOn({ column, attempts }) ? text.board.progress(progress) : text.columns[column]
}

function Row({ task }: { readonly task: Task }) {
  const tone = task.column === 'done' ? 'chip-good' : task.hold === null ? '' : 'chip-warn'
  return (
    <li class="subtask">
      <a href={href('tasks', task.id)}>{task.title}</a>
      <span class={`chip ${tone}`}>{state(task)}</span>
      {isWorkedOn(task) && (
        <progress max={100} value={task.progress} aria-label={text.board.progress(task.progress)} />
      )}
    </li>
  )
}

function AddSubtask({ parent, onAdded }: { readonly parent: TaskDetail; readonly onAdded: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const [key, setKey] = useState(() => newKey())
  const { failure, isBusy, submit, errorOf } = useSubmit()
  if (!isOpen) {
    return (
      <button type="button" class="button button-small" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        {text.task.subtasks.add}
      </button>
    )
  }
  const add = async (): Promise<void> => {
    const body = { title: title.trim(), parent_id: parent.id, workspace_id: parent.workspace_id }
    if (!(await submit(() => client.tasks.create(body, { idempotencyKey: key })))) return
    announce(text.task.subtasks.added(body.title))
    setTitle('')
    setKey(newKey())
    onAdded()
  }
  return (
    <form
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        setOpen(false)
      }}
    >
      <TextInput
        label={text.task.subtasks.label}
        required
        autofocus
        maxLength={200}
        value={title}
        onValue={(value) => {
          setTitle(value)
          setKey(newKey())
        }}
        error={errorOf('title') ?? errorOf('parent_id')}
      />
      <FormError failure={failure} fields={['title', 'parent_id']} />
      <div class="edit-actions">
        <button type="button" class="button button-small" onClick={() => setOpen(false)}>
          {text.actions.close}
        </button>
        <button class="button button-small button-primary" aria-disabled={isBusy}>
          {text.task.subtasks.add}
        </button>
      </div>
    </form>
  )
}

/** The parts of a task, with their progress. */
export function Subtasks({ task }: { readonly task: TaskDetail }) {
  const { id, workspace_id: workspaceId } = task
  const loaded = useLoaded(
    (signal) =>
      client.tasks.list({ parent_id: id, workspace_id: workspaceId, limit: MOST_SUBTASKS }, { signal }),
    [id],
  )
  const parts = loaded.value?.tasks ?? []
  const hasMore = (loaded.value?.next_cursor ?? null) !== null
  useReload(loaded.reload, (message) => {
    if (isOf(message, 'task.log', 'task.commented', 'task.progress')) return false
    const about = taskIdOf(message)
    // A new task does not say what it is a part of.
    return message.type === 'task.created' || parts.some((part) => part.id === about)
  })
  useMessages((message) => {
    if (message.type !== 'task.progress') return
    const { task_id: about, progress } = message
    if (!parts.some((part) => part.id === about)) return
    loaded.change((page) => ({
      ...page,
      tasks: page.tasks.map((part) => (part.id === about ? { ...part, progress } : part)),
    }))
  })
  const done = parts.filter(({ column }) => column === 'done').length
  return (
    <section class="task-part">
      <h3>
        {text.task.subtasks.title}
        {parts.length > 0 && (
          <small class="quiet"> {text.task.subtasks.done(done, parts.length, hasMore)}</small>
        )}
      </h3>
      <Show loaded={loaded}>
        {({ tasks }) =>
          tasks.length > 0 && (
            <ul class="subtasks">
              {hasMore && <li class="quiet small">{text.task.subtasks.newest(tasks.length)}</li>}
              {tasks.toReversed().map((part) => (
                <Row key={part.id} task={part} />
              ))}
            </ul>
          )
        }
      </Show>
      {can('tasks:write') && <AddSubtask parent={task} onAdded={loaded.reload} />}
    </section>
  )
}

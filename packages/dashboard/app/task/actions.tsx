import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { announce, complain, inform } from '../state/notices.js'
import { leaveTask } from '../state/router.js'
import { columns, type Column, type TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { FormError, TextArea, useSubmit } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import { moveTask } from './move-task.js'
import type { LiveTask } from './use-task.js'

const words = text.task.actions

/** Copies the address of the task. */
export function CopyLink() {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={text.task.copyLink}
      title={text.task.copyLink}
      onClick={() => {
        // Without https there is no clipboard.
        const copying = (navigator.clipboard as Clipboard | undefined)?.writeText(location.href)
        Promise.resolve(copying ?? Promise.reject(new Error())).then(
          () => inform(text.task.linkCopied),
          () => inform(text.task.linkNotCopied),
        )
      }}
    >
      <Icon name="link" />
    </button>
  )
}

interface ActionProps {
  readonly live: LiveTask
  readonly task: TaskDetail
  readonly onClose: () => void
}

function Move({ live, task, onClose }: ActionProps) {
  const { failure, isBusy, submit } = useSubmit()
  const carryOut = async (column: Column): Promise<void> =>
    live.put(await client.tasks.move(task.id, { to: column }))
  const move = async (to: Column): Promise<void> => {
    let isMoved = false
    const isAnswered = await submit(async () => {
      isMoved = await moveTask(task, to, carryOut)
    })
    if (isAnswered && isMoved) onClose()
  }
  return (
    <Dialog title={`${words.moveTo} …`} onClose={onClose}>
      <div class="choices" role="group" aria-label={words.moveTo}>
        {columns.map((column) => (
          <button
            key={column}
            type="button"
            class="button button-wide"
            aria-disabled={isBusy}
            disabled={task.column === column && task.hold === null}
            onClick={() => void move(column)}
          >
            {text.columns[column]}
          </button>
        ))}
      </div>
      <FormError failure={failure} />
    </Dialog>
  )
}

function Cancel({ live, task, onClose }: ActionProps) {
  const [message, setMessage] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const cancel = async (): Promise<void> => {
    const body = message.trim() === '' ? {} : { message: message.trim() }
    if (!(await submit(async () => live.put(await client.tasks.cancel(task.id, body))))) return
    announce(words.cancelled)
    onClose()
  }
  return (
    <Dialog title={words.cancelTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void cancel()
        }}
      >
        <p>{words.cancelHint}</p>
        <TextArea
          label={words.cancelReason}
          rows={2}
          value={message}
          onValue={setMessage}
          error={errorOf('message')}
        />
        <FormError failure={failure} fields={['message']} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {words.keep}
          </button>
          <button class="button button-danger" aria-disabled={isBusy}>
            {words.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** A person does what an agent would have done. */
function Complete({ live, task, onClose }: ActionProps) {
  const [result, setResult] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const isWorked = task.column === 'doing' && task.taken_by === null
  const complete = async (): Promise<void> => {
    const body = { result: result.trim(), take_over: isWorked }
    const isSent = await submit(async () => {
      await client.tasks.complete(task.id, body)
      live.put(await client.tasks.get(task.id))
    })
    if (!isSent) return
    announce(words.completed)
    onClose()
  }
  return (
    <Dialog title={words.completeTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void complete()
        }}
      >
        <p>{isWorked ? `${words.completeStops} ${words.completeHint}` : words.completeHint}</p>
        <TextArea
          label={words.result}
          rows={4}
          value={result}
          onValue={setResult}
          error={errorOf('result')}
        />
        <FormError failure={failure} fields={['result']} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {words.notYet}
          </button>
          <button class="button button-primary" aria-disabled={isBusy}>
            {words.complete}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Ends a hold. */
export function ReleaseButton({
  live,
  task,
  label,
}: Omit<ActionProps, 'onClose'> & { readonly label: string }) {
  const [isBusy, setBusy] = useState(false)
  const release = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      live.put(await client.tasks.release(task.id, {}))
      announce(words.released)
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button type="button" class="button button-small" aria-disabled={isBusy} onClick={() => void release()}>
      <Icon name="again" />
      {label}
    </button>
  )
}

/** What a person can do with a task as a whole. */
export function TaskActions({ live, task }: Omit<ActionProps, 'onClose'>) {
  const [open, setOpen] = useState<'move' | 'complete' | 'cancel' | 'delete' | null>(null)
  const close = (): void => setOpen(null)
  if (!can('tasks:write')) return null
  const remove = async (): Promise<void> => {
    try {
      await client.tasks.delete(task.id)
      leaveTask()
      inform(words.deleted(task.title))
    } catch (error) {
      complain(error)
    }
  }
  const isCancelable = task.column !== 'done' && task.hold?.reason !== 'cancelled'
  return (
    <div class="task-actions">
      <button type="button" class="button button-small" onClick={() => setOpen('move')}>
        <Icon name="move" />
        {words.move}
      </button>
      {task.column !== 'done' && (
        <button type="button" class="button button-small" onClick={() => setOpen('complete')}>
          <Icon name="check" />
          {words.complete}
        </button>
      )}
      {task.hold !== null && (
        <ReleaseButton
          live={live}
          task={task}
          label={task.hold.reason === 'failed' ? words.retry : words.release}
        />
      )}
      {isCancelable && (
        <button type="button" class="button button-small" onClick={() => setOpen('cancel')}>
          <Icon name="stop" />
          {words.cancel}
        </button>
      )}
      <button type="button" class="button button-small button-danger" onClick={() => setOpen('delete')}>
        <Icon name="bin" />
        {words.delete}
      </button>
      {open === 'move' && <Move live={live} task={task} onClose={close} />}
      {open === 'complete' && <Complete live={live} task={task} onClose={close} />}
      {open === 'cancel' && <Cancel live={live} task={task} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={words.deleteTitle}
          message={words.deleteMessage}
          action={words.delete}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </div>
  )
}

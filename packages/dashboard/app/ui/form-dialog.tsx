import type { ComponentChildren } from 'preact'
import { text } from '../texts/index.js'
import { Dialog } from './dialog.js'
import { FormError, type Form } from './form.js'

/** A form in a dialog. */
export function FormDialog({
  form: { failure, fields, isBusy, submit },
  title,
  action = text.actions.save,
  isDangerous = false,
  isDisabled = false,
  send,
  onClose,
  children,
}: {
  readonly form: Form
  readonly title: string
  /** What the button that sends it says. */
  readonly action?: string | undefined
  readonly isDangerous?: boolean
  /** Whether it can't be sent yet. */
  readonly isDisabled?: boolean
  /** Sends the form, and closes the dialog when that succeeded. One call at a time. */
  readonly send: () => Promise<unknown>
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(send)
        }}
      >
        {children}
        <FormError failure={failure} fields={fields} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {text.actions.cancel}
          </button>
          <button
            class={`button ${isDangerous ? 'button-danger' : 'button-primary'}`}
            disabled={isBusy || isDisabled}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

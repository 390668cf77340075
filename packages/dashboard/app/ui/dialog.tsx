import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { openDialogs } from '../state/notices.js'
import { text } from '../texts/index.js'
import { Icon } from './icon.js'
import { Notices } from './notices.js'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Buttons next to the title. */
  readonly actions?: ComponentChildren
  /** `side` and `wide`: a panel at the right edge, the whole screen on a phone. */
  readonly shape?: 'center' | 'side' | 'wide'
}

/** A modal dialog: the browser keeps the focus in it, closes it on Escape, and returns the focus. */
export function Dialog({ title, onClose, children, actions, shape = 'center' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget | null>(null)
  const titleId = useId()
  const [level] = useState(() => openDialogs.peek() + 1)
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    openDialogs.value++
    return () => {
      openDialogs.value--
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus()
      // What opened it may be gone, such as the card of a task that was deleted.
      else if (openDialogs.peek() === 0) document.querySelector<HTMLElement>('#content')?.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog dialog-${shape}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        pressed.current = event.target
      }}
      onClick={(event) => {
        // A click on the backdrop is one on the dialog itself. One that began inside selects a text.
        if (event.target === ref.current && pressed.current === ref.current) onClose()
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          {/* In a panel the reader begins at its title, in a form at its first input. */}
          <h2 id={titleId} tabIndex={-1} autofocus={shape === 'wide'}>
            {title}
          </h2>
          {actions}
          <button
            type="button"
            class="icon-button"
            aria-label={text.actions.close}
            title={text.actions.close}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      <Notices level={level} />
    </dialog>
  )
}

/** A question with two answers. */
export function Confirm({
  title,
  message,
  action,
  isDangerous = true,
  onConfirm,
  onClose,
}: {
  readonly title: string
  readonly message: ComponentChildren
  readonly action: string
  readonly isDangerous?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{message}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {text.actions.cancel}
        </button>
        <button
          type="button"
          class={`button ${isDangerous ? 'button-danger' : 'button-primary'}`}
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  )
}

import { createContext, type ComponentChildren } from 'preact'
import { useContext, useRef } from 'preact/hooks'
import { useSettled, type Settled } from '../ui/settled.js'

const Place = createContext<Settled>({ isSettled: false, isStill: () => false })

/** The buttons of an entry. */
export function Acts({ children }: { readonly children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null)
  const place = useSettled(ref, '.inbox')
  return (
    <div class="edit-actions" ref={ref}>
      <Place.Provider value={place}>{children}</Place.Provider>
    </div>
  )
}

interface ActProps {
  readonly isBusy: boolean
  readonly isPrimary?: boolean
  /** Without it, the button submits its form. */
  readonly onAct?: () => void
  readonly children: ComponentChildren
}

/**
 * A button of an entry. It does nothing right after it got into its place, because the click or the key was meant for what stood there before.
 * A key that is held down presses it once.
 */
export function Act({ isBusy, isPrimary = false, onAct, children }: ActProps) {
  const { isSettled, isStill } = useContext(Place)
  return (
    <button
      type={onAct === undefined ? 'submit' : 'button'}
      class={`button button-small ${isPrimary ? 'button-primary' : ''}`}
      aria-disabled={isBusy || !isSettled}
      onKeyDown={(event) => {
        if (event.repeat) event.preventDefault()
      }}
      onClick={(event) => {
        if (isStill()) onAct?.()
        else event.preventDefault()
      }}
    >
      {children}
    </button>
  )
}

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { announce } from '../state/notices.js'
import { text } from '../texts/index.js'
import { isTyping } from '../ui/is-typing.js'

const steps: Readonly<Record<string, number | undefined>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }
const decisions: Readonly<Record<string, string | undefined>> = { A: 'approved', R: 'rejected' }

const entryAround = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-entry]') : null

/** Goes to the next entry that waits; from outside of them, to the first or the last one. */
function step(root: HTMLElement, from: HTMLElement | null, by: number): void {
  const all = [...root.querySelectorAll<HTMLElement>('[data-entry]')]
  const start = from === null ? (by > 0 ? -1 : all.length) : all.indexOf(from)
  const ahead = by > 0 ? all.slice(start + 1) : all.slice(0, Math.max(0, start)).toReversed()
  ahead.find(({ dataset }) => !('handled' in dataset))?.focus()
}

const isOnScreen = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Decides about the entry that has the focus, if a person can have seen all that is decided. */
function decide(entry: HTMLElement, decision: string): void {
  const card = [...entry.querySelectorAll<HTMLElement>('[data-approval]')].find((each) =>
    each.querySelector('[data-decision]'),
  )
  if (card === undefined) return
  const rest = card.querySelector<HTMLElement>('[data-show-rest]')
  if (!isOnScreen(entry)) entry.scrollIntoView({ block: 'start' })
  else if (rest === null) card.querySelector<HTMLElement>(`[data-decision=${decision}]`)?.click()
  else {
    rest.click()
    entry.focus()
    announce(text.task.approval.wholeShown)
  }
}

/** The keys of the inbox, wherever the focus is. Typing into an input stays there. */
function onKey(event: KeyboardEvent, root: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
    return
  if (document.querySelector('dialog[open]') !== null) return
  const { key, shiftKey } = event
  const entry = entryAround(event.target)
  const by = shiftKey ? undefined : steps[key]
  const isArrow = key.startsWith('Arrow')
  if (by !== undefined && (!isArrow || event.target === entry)) step(root, entry, by)
  else if (entry === null || event.target !== entry) return
  else if (key === 'Enter') {
    // It may still be held down from the button that was here.
    if (!event.repeat) entry.querySelector<HTMLElement>('h3 a')?.click()
  } else if (shiftKey && decisions[key] !== undefined) {
    // A key that is held down decides nothing more.
    if (!event.repeat) decide(entry, decisions[key])
  } else return
  event.preventDefault()
}

/** Lets the inbox be used by keyboard from the moment that it is shown. */
export function useInboxKeys(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (root.current !== null) onKey(event, root.current)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** The focus stays where it was: on the entry whose button is gone, never on another one. Returns what listens to it. */
export function useKeptFocus(root: RefObject<HTMLElement | null>): (event: FocusEvent) => void {
  const last = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (last.current === null || document.activeElement !== document.body) return
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
    const entry = all.find(({ dataset }) => dataset['entry'] === last.current)
    ;(entry ?? root.current)?.focus({ preventScroll: true })
  })
  return ({ target }) => {
    last.current = entryAround(target)?.dataset['entry'] ?? null
  }
}

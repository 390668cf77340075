import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useMessages } from '../state/use-messages.js'
import { text } from '../texts/index.js'
import { endingOf, forgetEnding, hearEnding } from './endings.js'
import { followWaiting, keyOf, type ShownEntry, type Waiting } from './shown-entries.js'
import { hasMore } from './waiting.js'

/** An entry that was handled stays for this long, and longer while its going would move what is under the pointer. */
const STAY_MS = 10_000
const LOOK_MS = 1_000
/** Of more, the oldest go. */
const MOST_HANDLED = 500
const { endings } = text.inbox

/** Of what a wait is: a task can wait several times. */
export const subjectOf = (what: Waiting): string => (what.kind === 'task' ? what.task.id : keyOf(what))

const elementsIn = (root: HTMLElement): readonly HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>('[data-entry]'),
]

/** Whether an entry can go: without the focus, and where nothing under the pointer moves. */
function canGo(element: HTMLElement, root: HTMLElement): boolean {
  if (element.contains(document.activeElement)) return false
  // What is above the screen is made up for by the browser, which keeps what is seen in its place.
  const top = root.closest('.page')?.getBoundingClientRect().top ?? 0
  if (element.getBoundingClientRect().bottom < top && CSS.supports('overflow-anchor: auto')) return true
  if (!root.matches(':hover')) return true
  const all = elementsIn(root)
  const pointed = all.findIndex((each) => each.matches(':hover'))
  return pointed !== -1 && pointed < all.indexOf(element)
}

/** The entries after a change, with how the waits ended that did. */
function advance(
  before: readonly ShownEntry[],
  waiting: readonly Waiting[],
  labels: Map<string, string>,
): readonly ShownEntry[] {
  const known = new Set(before.map(({ key }) => key))
  const after = followWaiting(before, waiting, Date.now())
  const waits = new Set(waiting.map(subjectOf))
  for (const { key, what, handledAt } of after) {
    if (handledAt === null && !known.has(key)) forgetEnding(subjectOf(what))
    if (handledAt !== null && !waits.has(subjectOf(what))) labels.set(key, endingOf(subjectOf(what)))
  }
  for (const key of labels.keys()) if (!known.has(key)) labels.delete(key)
  const isShown = ({ key, handledAt }: ShownEntry, fromEnd: number): boolean =>
    // Of more than are read, the oldest make room for newer ones: nobody has handled those.
    handledAt === null ||
    (fromEnd < MOST_HANDLED && !(hasMore.peek() && labels.get(key) === endings.elsewhere))
  return after.filter((entry, index) => isShown(entry, after.length - index))
}

interface Entries {
  readonly entries: readonly ShownEntry[]
  /** How the wait of an entry ended. */
  readonly labelOf: (key: string) => string
}

/** The entries of the inbox: what waits, and for a while what no longer does. */
export function useEntries(waiting: readonly Waiting[], root: RefObject<HTMLElement | null>): Entries {
  const entries = useRef<readonly ShownEntry[]>([])
  const labels = useRef(new Map<string, string>())
  const [, setRound] = useState(0)
  const drawAgain = (): void => setRound((round) => round + 1)
  useMessages((message) => {
    hearEnding(message)
    // Who it was may be known only after the entry was handled.
    if (message.type === 'task.commented') drawAgain()
  })

  entries.current = advance(entries.current, waiting, labels.current)
  const hasHandled = entries.current.some(({ handledAt }) => handledAt !== null)
  useEffect(() => {
    if (!hasHandled) return undefined
    const timer = setInterval(() => {
      const page = root.current
      if (page === null) return
      const going = new Set(
        elementsIn(page)
          .filter((element) => 'handled' in element.dataset && canGo(element, page))
          .map((element) => element.dataset['entry']),
      )
      const left = entries.current.filter(
        ({ key, handledAt }) => handledAt === null || Date.now() - handledAt < STAY_MS || !going.has(key),
      )
      if (left.length === entries.current.length) return
      entries.current = left
      drawAgain()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [hasHandled])

  return { entries: entries.current, labelOf: (key) => labels.current.get(key) ?? '' }
}

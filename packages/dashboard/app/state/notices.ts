import { signal } from '@preact/signals'
import { explain } from './failure.js'

/** A message at the edge of the screen. */
interface Notice {
  readonly id: number
  readonly tone: 'info' | 'error'
  readonly message: string
  readonly requestId: string | null
  readonly action?: { readonly label: string; run(): void } | undefined
}

/** The messages that are shown. */
export const notices = signal<readonly Notice[]>([])
/** The messages for screen readers. */
export const spoken = signal('')
/** How many dialogs are open. The page behind one is inert, so messages are in the topmost. */
export const openDialogs = signal(0)
const SHOWN_MS = 6_000
const MOST_NOTICES = 4
let nextId = 1

/** Takes a message away. */
export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

function show(notice: Omit<Notice, 'id'>): void {
  const id = nextId++
  notices.value = [...notices.value, { ...notice, id }].slice(-MOST_NOTICES)
  if (notice.tone === 'info') setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Tells screen readers, without showing anything. */
export function announce(message: string): void {
  // The same text twice is read twice: a trailing space makes it another.
  spoken.value = spoken.value === message ? `${message}\u00a0` : message
}

/** Shows a short message that goes by itself. */
export function inform(message: string, action?: Notice['action']): void {
  show({ tone: 'info', message, requestId: null, action })
}

/** Shows why something failed; it stays until it is dismissed. */
export function complain(error: unknown, action?: Notice['action']): void {
  const { message, requestId } = explain(error)
  show({ tone: 'error', message, requestId, action })
}

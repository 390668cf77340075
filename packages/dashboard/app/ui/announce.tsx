import { signal } from '@preact/signals'
import { explain } from '../state/failure.js'
import { text } from '../text.js'
import { Icon } from './icon.js'

/** A message at the edge of the screen. */
interface Notice {
  readonly id: number
  readonly tone: 'info' | 'error'
  readonly message: string
  readonly requestId: string | null
  readonly action?: { readonly label: string; run(): void } | undefined
}

const notices = signal<readonly Notice[]>([])
const spoken = signal('')
/** How many dialogs are open. What lies behind one is inert, so messages stand in the topmost. */
export const openDialogs = signal(0)
const SHOWN_MS = 6_000
const MOST_NOTICES = 4
let nextId = 1

function dismiss(id: number): void {
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

/** The place of the messages: in the page, and in each dialog. */
export function Notices({ level = 0 }: { readonly level?: number }) {
  if (level !== openDialogs.value) return null
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <div class="notices" role="region" aria-label="Messages">
        {notices.value.map((notice) => (
          <div
            key={notice.id}
            class={`notice notice-${notice.tone}`}
            role={notice.tone === 'error' ? 'alert' : 'status'}
          >
            <p>
              {notice.message}
              {notice.requestId !== null && <small> {text.errors.request(notice.requestId)}</small>}
            </p>
            {notice.action !== undefined && (
              <button
                type="button"
                class="button button-small"
                onClick={() => {
                  dismiss(notice.id)
                  notice.action?.run()
                }}
              >
                {notice.action.label}
              </button>
            )}
            <button
              type="button"
              class="icon-button"
              aria-label={text.actions.dismiss}
              onClick={() => dismiss(notice.id)}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    </>
  )
}

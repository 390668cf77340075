import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { can } from './state/api.js'
import { go, route, type Page } from './state/router.js'
import { text } from './text.js'
import { Dialog } from './ui/dialog.js'

export const isHelpOpen = signal(false)
/** Whether the form for a new task is open. */
export const isCreateOpen = signal(false)

const destinations: Readonly<Record<string, Page>> = {
  b: 'board',
  i: 'inbox',
  a: 'agents',
  c: 'chat',
  y: 'analytics',
  s: 'settings',
}
const FOLLOW_MS = 1_500

/** Whether a key goes into an input. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** The keys that work on every page. Those of the board are in `board/keys.ts`. */
export function useShortcuts(): void {
  useEffect(() => {
    let goUntil = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      if (document.querySelector('dialog[open]') !== null) return
      const destination = destinations[event.key]
      if (Date.now() < goUntil && destination !== undefined) {
        goUntil = 0
        event.preventDefault()
        return go(destination)
      }
      goUntil = event.key === 'g' ? Date.now() + FOLLOW_MS : 0
      if (event.key === '?') isHelpOpen.value = true
      else if (event.key === 'n' && can('tasks:write')) isCreateOpen.value = true
      else if (event.key === '/') search()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function search(): void {
  if (route.value.page !== 'board') go('board')
  setTimeout(() => document.querySelector<HTMLInputElement>('#board-search')?.focus())
}

/** The list of the keys. */
export function Help() {
  return (
    <Dialog title={text.help.title} onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {text.help.rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys
                .split(' ')
                .map((key) => (key === text.help.between ? ` ${key} ` : <kbd key={key}>{key}</kbd>))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

import { useEffect } from 'preact/hooks'
import { offeredPages } from './offered-pages.js'
import { can } from './state/api.js'
import { isCreateOpen, isHelpOpen } from './state/dialogs.js'
import { go } from './state/router.js'
import { text } from './texts/index.js'
import { Dialog } from './ui/dialog.js'
import { isTyping } from './ui/is-typing.js'

const FOLLOW_MS = 1_500

/** The keys that work on every page. The keys of the board are in `board/keys.ts`. */
export function useShortcuts(): void {
  useEffect(() => {
    let goUntil = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      if (document.querySelector('dialog[open]') !== null) return
      const destination = offeredPages.peek().find(({ shortcut }) => shortcut === event.key)
      if (Date.now() < goUntil && destination !== undefined) {
        goUntil = 0
        event.preventDefault()
        return go(destination.name)
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

const searchInput = (): HTMLInputElement | null => document.querySelector('#board-search')

function search(): void {
  if (searchInput() === null) go('board')
  setTimeout(() => searchInput()?.focus())
}

/** The list of the keys. */
export function Help() {
  const pages = offeredPages.value
  const rows = text.help.rows(
    pages.map(({ shortcut }) => shortcut),
    pages.map(({ title }) => title),
  )
  return (
    <Dialog title={text.help.title} onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {rows.map(([keys, what]) => (
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

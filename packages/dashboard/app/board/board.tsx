import { useEffect, useMemo, useState } from 'preact/hooks'
import { can } from '../state/api.js'
import { connection } from '../state/live.js'
import { columns } from '../state/wire.js'
import { isCreateOpen } from '../shortcuts.js'
import { text } from '../text.js'
import { Icon } from '../ui/icon.js'
import { BoardColumn } from './column.js'
import { CreateTask } from './create-task.js'
import { FilterBar } from './filter-bar.js'
import { filters } from './filters.js'
import { useBoardKeys, useFirstArrow } from './keys.js'
import { MoveMenu } from './move-menu.js'
import { openBoard } from './store.js'

/** The three columns, live. */
export function Board() {
  const narrowed = filters.value
  const store = useMemo(() => openBoard(narrowed), [narrowed])
  useEffect(() => () => store.close(), [store])
  const [menuFor, setMenuFor] = useState<string | null>(null)
  useFirstArrow()
  const keys = useBoardKeys({ openMenu: (id) => can('tasks:write') && setMenuFor(id) })
  return (
    <section class="board-page" aria-label={text.board.title}>
      <div class="toolbar">
        <FilterBar />
        <span class="spacer" />
        {can('tasks:write') && (
          <button type="button" class="button button-primary" onClick={() => (isCreateOpen.value = true)}>
            <Icon name="plus" />
            <span class="button-text">{text.board.newTask}</span>
          </button>
        )}
      </div>
      {connection.value === 'offline' && (
        <p class="offline" role="status">
          {text.live.offline}
        </p>
      )}
      <div class="board" onKeyDown={keys}>
        {columns.map((column) => (
          <BoardColumn key={column} store={store} column={column} onMenu={setMenuFor} />
        ))}
      </div>
      {menuFor !== null && <MoveMenu store={store} id={menuFor} onClose={() => setMenuFor(null)} />}
      {isCreateOpen.value && <CreateTask onClose={() => (isCreateOpen.value = false)} />}
    </section>
  )
}

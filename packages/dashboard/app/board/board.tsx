import { useEffect, useMemo, useState } from 'preact/hooks'
import { can } from '../state/api.js'
import { connection } from '../state/live.js'
import { columns } from '../state/wire.js'
import { isCreateOpen } from '../state/dialogs.js'
import { text } from '../texts/index.js'
import { Icon } from '../ui/icon.js'
import { BoardColumn } from './column.js'
import { CreateTask } from './create-task.js'
import { FilterBar } from './filter-bar.js'
import { filters } from './filters.js'
import { useBoardKeys, useFirstArrow } from './keys.js'
import { openBoard, type BoardStore } from './store.js'
import { Dialog } from '../ui/dialog.js'
import { moveCard } from './move-card.js'

/** What is shown couldn't be read again. */
function ReadFailure({ store }: { readonly store: BoardStore }) {
  const failure = columns
    .filter((column) => store.columns[column].ids.value.length > 0)
    .map((column) => store.columns[column].failure.value)
    .find((each) => each !== null)
  // Without a connection the line above says so.
  if (failure === undefined || failure === null || connection.value !== 'open') return null
  return (
    <p class="offline" role="alert">
      {failure.message}
      {failure.requestId !== null && <small> {text.errors.request(failure.requestId)}</small>}{' '}
      <button type="button" class="button button-small" onClick={() => void store.reload()}>
        {text.actions.retry}
      </button>
    </p>
  )
}

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
      {(connection.value === 'offline' || connection.value === 'ended') && (
        <p class="offline" role="status">
          {text.live[connection.value]}
        </p>
      )}
      <ReadFailure store={store} />
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

interface MoveMenuProps {
  readonly store: BoardStore
  readonly id: string
  readonly onClose: () => void
}

/** Moves a card without dragging it. */
function MoveMenu({ store, id, onClose }: MoveMenuProps) {
  const task = store.task(id).value
  if (task === undefined) return null
  return (
    <Dialog title={`${text.board.moveTo} …`} onClose={onClose}>
      <p class="clip">{task.title}</p>
      <div class="choices" role="group" aria-label={text.board.moveTo}>
        {columns.map((column) => (
          <button
            key={column}
            type="button"
            class="button button-wide"
            aria-current={task.column === column ? 'true' : undefined}
            disabled={task.column === column && task.hold === null}
            autofocus={column !== task.column}
            onClick={() => {
              onClose()
              void moveCard(store, id, column)
            }}
          >
            {text.columns[column]}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

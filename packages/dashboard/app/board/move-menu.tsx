import { columns } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Dialog } from '../ui/dialog.js'
import { moveCard } from './move-card.js'
import type { BoardStore } from './store.js'

interface MoveMenuProps {
  readonly store: BoardStore
  readonly id: string
  readonly onClose: () => void
}

/** Moves a card without dragging it. */
export function MoveMenu({ store, id, onClose }: MoveMenuProps) {
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

import type { Column } from '../state/wire.js'
import { explain } from '../state/failure.js'
import { text } from '../text.js'
import { announce, complain } from '../ui/announce.js'
import type { BoardStore } from './store.js'

/** Moves a card for a person, and says how that went. */
export async function moveCard(store: BoardStore, id: string, to: Column): Promise<void> {
  const task = store.task(id).peek()
  if (task === undefined || (task.column === to && task.hold === null)) return
  const { title } = task
  announce(text.board.moving(title, text.columns[to]))
  try {
    await store.move(id, to)
    announce(text.board.moved(title, text.columns[to]))
  } catch (error) {
    complain(new Error(text.board.moveFailed(title, explain(error).message)), {
      label: text.actions.retry,
      run: () => void moveCard(store, id, to),
    })
  }
}

import type { Column } from '../state/wire.js'
import { explain } from '../state/failure.js'
import { moveTask } from '../task/move-task.js'
import { text } from '../texts/index.js'
import { announce, complain } from '../state/notices.js'
import type { BoardStore } from './store.js'

/** Moves a card for a person, and says how that went. */
export async function moveCard(store: BoardStore, id: string, to: Column): Promise<void> {
  const task = store.task(id).peek()
  if (task === undefined || (task.column === to && task.hold === null)) return
  const { title } = task
  try {
    await moveTask(task, to, (column) => {
      announce(text.board.moving(title, text.columns[column]))
      return store.move(id, column)
    })
  } catch (error) {
    complain(new Error(text.board.moveFailed(title, explain(error).message)), {
      label: text.actions.retry,
      run: () => void moveCard(store, id, to),
    })
  }
}

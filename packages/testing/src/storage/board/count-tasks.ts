import type { Column, Storage } from '@taskboard/core'
import type { CallContext, TaskCursor } from '@taskboard/core/storage'

/**
 * How many tasks each column of a workspace has, by listing them all.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { countTasks } from '@taskboard/testing'
 *
 * const storage = memoryStorage()
 * const taskboard = createTaskboard({ storage })
 * const { workspace } = await taskboard.accounts.create({ name: 'Test', tier: 'professional' })
 * await taskboard.board(workspace.id).add({ title: 'Hello' })
 * console.log(await countTasks(storage, workspace.id, { now: null })) // { TODO: 1, DOING: 0, DONE: 0 }
 * ```
 */
export async function countTasks<Tx>(
  { tasks }: Pick<Storage<Tx>, 'tasks'>,
  workspaceId: string,
  call: CallContext<Tx>,
): Promise<Readonly<Record<Column, number>>> {
  const count = async (column: Column): Promise<number> => {
    let sum = 0
    let after: TaskCursor | null = null
    do {
      const page = await tasks.listTasks({ workspaceId, column, limit: 1_000, after }, call)
      sum += page.tasks.length
      after = page.next
    } while (after !== null)
    return sum
  }
  return { TODO: await count('TODO'), DOING: await count('DOING'), DONE: await count('DONE') }
}

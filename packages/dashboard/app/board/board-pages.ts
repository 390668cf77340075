import { batch } from '@preact/signals'
import { client } from '../state/api.js'
import { explain } from '../state/failure.js'
import type { CardTask, Column } from '../state/wire.js'
import type { BoardState } from './board-state.js'
import type { Filters } from './filters.js'

/** How many tasks one request reads. */
export const PAGE_SIZE = 100

const sorts = { todo: 'priority_score', doing: 'created', done: 'updated' } as const satisfies Record<
  Column,
  string
>

interface Page {
  readonly tasks: readonly CardTask[]
  readonly next_cursor: string | null
}

/** Requests for one column run one after another: each builds on what the one before has read. */
function takeTurns() {
  const turns = new Map<Column, Promise<void>>()
  return (column: Column, work: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(column) ?? Promise.resolve()).then(work)
    turns.set(column, turn)
    return turn
  }
}

/** The ids of a page, without those that a person is moving to another column. */
function idsOf({ tasks }: Page, column: Column, moving: ReadonlyMap<string, Column>): readonly string[] {
  return tasks.map(({ id }) => id).filter((id) => (moving.get(id) ?? column) === column)
}

/**
 * The ids of a column whose first page was read again. Tasks that were in the part of this page and aren't in it now have left the column,
 * or gone down. Tasks below it stay as they were read.
 */
function withFirstPage(
  before: readonly string[],
  page: Page,
  column: Column,
  moving: ReadonlyMap<string, Column>,
): { readonly ids: readonly string[]; readonly isWhole: boolean } {
  const known = new Set(page.tasks.map(({ id }) => id))
  const below = page.next_cursor === null ? [] : before.slice(PAGE_SIZE).filter((id) => !known.has(id))
  const arriving = [...moving].filter(([id, to]) => to === column && !known.has(id)).map(([id]) => id)
  return { ids: [...arriving, ...idsOf(page, column, moving), ...below], isWhole: below.length === 0 }
}

/** Reads the columns of a board, page by page. */
export function readBoardPages(
  state: BoardState,
  {
    workspaceId,
    filters,
    abort,
  }: { readonly workspaceId: string; readonly filters: Filters; readonly abort: AbortSignal },
) {
  const { columns, moving } = state

  const request = (column: Column, cursor: string | null): Promise<Page> =>
    client.tasks.list(
      {
        ...filters,
        workspace_id: workspaceId,
        column,
        sort: sorts[column],
        limit: PAGE_SIZE,
        include: 'usage',
        ...(cursor === null ? {} : { cursor }),
      },
      { signal: abort },
    )

  const inTurn = takeTurns()
  const growing = new Set<Column>()

  async function load(column: Column, cursor: string | null, takeIn: (page: Page) => void): Promise<void> {
    const { isLoading, failure } = columns[column]
    isLoading.value = true
    try {
      const page = await request(column, cursor)
      if (abort.aborted) return
      batch(() => {
        for (const task of page.tasks) state.keep(task)
        takeIn(page)
        failure.value = null
      })
    } catch (error) {
      if (!abort.aborted) failure.value = explain(error)
    } finally {
      isLoading.value = false
    }
  }

  /** Reads the next page. */
  async function grow(column: Column): Promise<void> {
    const { ids, nextCursor } = columns[column]
    const cursor = nextCursor.peek()
    if (cursor === null) return
    await load(column, cursor, (page) => {
      const known = new Set(ids.peek())
      const more = idsOf(page, column, moving).filter((id) => !known.has(id))
      ids.value = [...ids.peek(), ...more]
      nextCursor.value = page.next_cursor
      state.place(column, more)
    })
  }

  return {
    /** Reads the first page again. */
    refresh: (column: Column) =>
      inTurn(column, () =>
        load(column, null, (page) => {
          const { ids, nextCursor } = columns[column]
          const read = withFirstPage(ids.peek(), page, column, moving)
          if (read.isWhole) nextCursor.value = page.next_cursor
          ids.value = read.ids
          state.place(column, ids.peek())
        }),
      ),
    loadMore: async (column: Column): Promise<void> => {
      if (growing.has(column)) return
      growing.add(column)
      await inTurn(column, () => grow(column))
      growing.delete(column)
    },
  }
}

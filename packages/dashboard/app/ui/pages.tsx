import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain, type Failure } from '../state/failure.js'
import { text } from '../texts/index.js'
import { Failed, Loading } from './states.js'

/** One response of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page begins; null for the last one. */
  readonly next: string | null
}

/** The pages of a list that were read. */
export interface Pages<Item> {
  /** Null until the first response. */
  readonly items: readonly Item[] | null
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly failure: Failure | null
  /** Reads the next page. */
  readonly more: () => void
  /** Reads the shown data again, and keeps it during that time. */
  readonly reload: () => void
}

interface State<Item> {
  readonly items: readonly Item[] | null
  readonly next: string | null
  readonly isLoading: boolean
  readonly failure: Failure | null
}

type Read<Item> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>

/** As many pages as hold `count` items. */
async function readAtLeast<Item>(
  read: Read<Item>,
  count: number,
  signal: AbortSignal,
  first?: string,
): Promise<Page<Item>> {
  const page = await read(first, signal)
  if (page.next === null || page.items.length >= count || page.items.length === 0) return page
  const rest = await readAtLeast(read, count - page.items.length, signal, page.next)
  return { items: [...page.items, ...rest.items], next: rest.next }
}

/** Reads a list by its pages, from the first one again when one of `inputs` changes. */
export function usePages<Item>(read: Read<Item>, inputs: readonly unknown[]): Pages<Item> {
  const [state, setState] = useState<State<Item>>({
    items: null,
    next: null,
    isLoading: true,
    failure: null,
  })
  const [round, setRound] = useState(0)
  const running = useRef<AbortController | null>(null)
  const lastInputs = useRef(inputs)

  const run = (work: (signal: AbortSignal) => Promise<Page<Item>>, isAddition: boolean): void => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    setState((before) => ({ ...before, isLoading: true, failure: null }))
    work(abort.signal).then(
      ({ items, next }) =>
        abort.signal.aborted ||
        setState((before) => ({
          items: isAddition ? [...(before.items ?? []), ...items] : items,
          next,
          isLoading: false,
          failure: null,
        })),
      (error: unknown) =>
        abort.signal.aborted ||
        setState((before) => ({ ...before, isLoading: false, failure: explain(error) })),
    )
  }

  useEffect(() => {
    const isOther = lastInputs.current.some((input, index) => input !== inputs[index])
    lastInputs.current = inputs
    const count = isOther ? 0 : (state.items?.length ?? 0)
    if (isOther) setState((before) => ({ ...before, items: null, next: null }))
    run((signal) => readAtLeast(read, count, signal), false)
    return () => running.current?.abort()
  }, [...inputs, round])

  return {
    items: state.items,
    hasMore: state.next !== null,
    isLoading: state.isLoading,
    failure: state.failure,
    more() {
      const { next } = state
      if (next !== null && !state.isLoading) run((signal) => read(next, signal), true)
    },
    reload: () => setRound((before) => before + 1),
  }
}

/** A list that is there as a whole. */
export const wholeList = <Item,>(items: readonly Item[]): Pages<Item> => ({
  items,
  hasMore: false,
  isLoading: false,
  failure: null,
  more: () => undefined,
  reload: () => undefined,
})

/** Shows a list that was read by `usePages`, with a button for the next page; `empty` stands in for a list without items. */
export function ShowPages<Item>({
  pages,
  empty,
  children,
}: {
  readonly pages: Pages<Item>
  readonly empty: ComponentChildren
  readonly children: (items: readonly Item[]) => ComponentChildren
}) {
  const { items, hasMore, isLoading, failure } = pages
  if (items === null) {
    return failure === null ? <Loading /> : <Failed failure={failure} onRetry={pages.reload} />
  }
  if (items.length === 0 && !hasMore) return <>{empty}</>
  return (
    <>
      {children(items)}
      {failure !== null && <Failed failure={failure} onRetry={hasMore ? pages.more : pages.reload} />}
      {hasMore && failure === null && (
        <button type="button" class="button more" disabled={isLoading} onClick={pages.more}>
          {text.actions.more}
        </button>
      )}
    </>
  )
}

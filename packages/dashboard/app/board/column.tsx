import { useEffect, useRef, useState } from 'preact/hooks'
import { can } from '../state/api.js'
import type { Column } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Empty, Failed, Loading } from '../ui/states.js'
import { Card } from './card.js'
import { acceptCards } from './drag.js'
import { moveCard } from './move-card.js'
import type { BoardStore } from './store.js'
import { Component, createElement, type ComponentType, type VNode } from 'preact'

/** A block of cards is drawn as a whole, and only near the screen. */
const BLOCK_SIZE = 25
/** Before a block was drawn: what its cards are thought to need, in pixels. */
const CARD_HEIGHT = 96
const NEAR = '1200px'

interface BlockProps {
  readonly store: BoardStore
  readonly ids: readonly string[]
  readonly root: Element | null
  readonly onMenu: (id: string) => void
}

function Block({ store, ids, root, onMenu }: BlockProps) {
  const ref = useRef<HTMLDivElement>(null)
  const height = useRef(ids.length * CARD_HEIGHT)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null || root === null) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0)
          height.current = entry.boundingClientRect.height
        setNear(entry.isIntersecting)
      },
      { root, rootMargin: NEAR },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [root])
  return (
    <div ref={ref} class="block" role="presentation" style={isNear ? {} : { height: `${height.current}px` }}>
      {isNear && (
        <ul class="cards" role="presentation">
          {ids.map((id) => (
            <Card key={id} store={store} id={id} onMenu={onMenu} />
          ))}
        </ul>
      )}
    </div>
  )
}

const SameBlock = memo(Block, (a, b) => a.root === b.root && a.store === b.store && isSameList(a.ids, b.ids))

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}

function blocksOf(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / BLOCK_SIZE) }, (_, index) =>
    ids.slice(index * BLOCK_SIZE, (index + 1) * BLOCK_SIZE),
  )
}

interface ColumnProps {
  readonly store: BoardStore
  readonly column: Column
  readonly onMenu: (id: string) => void
}

/** One column: its cards by blocks, the next page when its end comes near. */
export function BoardColumn({ store, column, onMenu }: ColumnProps) {
  const { ids, nextCursor, isLoading, failure } = store.columns[column]
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const [isOver, setOver] = useState(false)
  const end = useRef<HTMLDivElement>(null)
  const list = ids.value
  const hasMore = nextCursor.value !== null

  useEffect(() => {
    if (scroller === null || !can('tasks:write')) return undefined
    return acceptCards(scroller, {
      column,
      onOver: setOver,
      onDrop: (id) => void moveCard(store, id, column),
    })
  }, [scroller, store])

  useEffect(() => {
    if (scroller === null || end.current === null || !hasMore) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) void store.loadMore(column)
      },
      { root: scroller, rootMargin: NEAR },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [scroller, store, hasMore, list.length])

  const count = text.board.count(list.length, hasMore)
  return (
    <section
      class={`column column-${column} ${isOver ? 'column-over' : ''}`}
      aria-label={text.board.tasksIn(text.columns[column], count)}
      data-column={column}
    >
      <header class="column-head">
        <h2>{text.columns[column]}</h2>
        <span class="count">{count}</span>
        <small class="quiet">{text.board.order[column]}</small>
      </header>
      <div class="column-scroll" ref={setScroller}>
        {failure.value !== null && list.length === 0 && (
          <Failed failure={failure.value} onRetry={() => void store.reload()} />
        )}
        {list.length === 0 &&
          failure.value === null &&
          (store.isReady.value ? <EmptyColumn store={store} column={column} /> : <Loading />)}
        <div class="blocks" role="list">
          {blocksOf(list).map((block, index) => (
            <SameBlock key={index} store={store} ids={block} root={scroller} onMenu={onMenu} />
          ))}
        </div>
        <div ref={end} class="column-end">
          {hasMore && isLoading.value && <Loading />}
        </div>
      </div>
    </section>
  )
}

function EmptyColumn({ store, column }: Omit<ColumnProps, 'onMenu'>) {
  return <Empty title={store.hasFilters ? text.board.empty.filtered : text.board.empty[column]} />
}

/** A component that is drawn again only when `isSame` says that its properties differ. */
function memo<Props extends object>(
  Inner: ComponentType<Props>,
  isSame: (before: Props, after: Props) => boolean,
): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next)
    }
    render(): VNode {
      return createElement(Inner as ComponentType<object>, this.props)
    }
  }
}

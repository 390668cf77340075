/**
 * Binary heaps as plain arrays. Each entry keeps its place, so any entry can be removed directly and nothing stale stays behind.
 * `order` applies to a whole heap.
 */
export interface HeapOrder<E> {
  /** Whether `a` must come out before `b`. Entries that come before neither way are equal. */
  comesBefore(a: E, b: E): boolean
  /** Where the entry is; below 0 when it is in no heap. */
  placeOf(entry: E): number
  setPlace(entry: E, place: number): void
}

export const IN_NO_HEAP = -1

export function heapAdd<E>(heap: E[], entry: E, order: HeapOrder<E>): void {
  heap.push(entry)
  moveUp(heap, entry, heap.length - 1, order)
}

/** Removes an entry; ignores one that is in no heap. */
export function heapRemove<E>(heap: E[], entry: E, order: HeapOrder<E>): void {
  const place = order.placeOf(entry)
  if (place < 0) return
  order.setPlace(entry, IN_NO_HEAP)
  const last = heap.pop()
  if (last === undefined || last === entry) return
  restore(heap, last, place, order)
}

/** Moves an entry whose rank has changed to its new place. */
export function heapUpdate<E>(heap: E[], entry: E, order: HeapOrder<E>): void {
  restore(heap, entry, order.placeOf(entry), order)
}

function restore<E>(heap: E[], entry: E, place: number, order: HeapOrder<E>): void {
  const parent = heap[(place - 1) >> 1]
  if (place > 0 && parent !== undefined && order.comesBefore(entry, parent)) moveUp(heap, entry, place, order)
  else moveDown(heap, entry, place, order)
}

function moveUp<E>(heap: E[], entry: E, from: number, order: HeapOrder<E>): void {
  let place = from
  while (place > 0) {
    const parentPlace = (place - 1) >> 1
    const parent = heap[parentPlace] as E
    if (!order.comesBefore(entry, parent)) break
    heap[place] = parent
    order.setPlace(parent, place)
    place = parentPlace
  }
  heap[place] = entry
  order.setPlace(entry, place)
}

function moveDown<E>(heap: E[], entry: E, from: number, order: HeapOrder<E>): void {
  let place = from
  for (;;) {
    const left = 2 * place + 1
    if (left >= heap.length) break
    const right = left + 1
    const better = right < heap.length && order.comesBefore(heap[right] as E, heap[left] as E) ? right : left
    const child = heap[better] as E
    if (!order.comesBefore(child, entry)) break
    heap[place] = child
    order.setPlace(child, place)
    place = better
  }
  heap[place] = entry
  order.setPlace(entry, place)
}

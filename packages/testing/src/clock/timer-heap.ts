import type { Work } from './work-registry.js'

/** A timer that is pending, or that was cancelled and not yet removed. */
export interface HeapTimer {
  readonly dueAt: number
  /** Order of creation: breaks ties between timers due at one instant. */
  readonly order: number
  /** The tracked work that set it; undefined when none did. */
  readonly work: Work | undefined
  /** Undefined once the timer has fired or was cancelled. */
  callback: (() => void) | undefined
}

/** Timers in the order in which they fall due. Adding and taking cost the logarithm of their number; canceling is free. */
export interface TimerHeap {
  /** How many are pending. */
  readonly size: number
  add(timer: HeapTimer): void
  /** The next one to fire, left in place; undefined when there is none. */
  peek(): HeapTimer | undefined
  /** Takes out the next one to fire. */
  take(): HeapTimer | undefined
  /** Ends a timer that is in the heap. */
  cancel(timer: HeapTimer): void
  /** The pending ones, in no order. */
  list(): HeapTimer[]
}

/** Dead entries are removed when they outnumber the live ones and this. */
const SWEEP_FLOOR = 64

export function createTimerHeap(): TimerHeap {
  let heap: HeapTimer[] = []
  let dead = 0

  function dropDeadHead(): void {
    while (heap.length > 0 && heap[0]?.callback === undefined) {
      removeHead(heap)
      dead -= 1
    }
  }

  function sweep(): void {
    heap = heap.filter((timer) => timer.callback !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    dead = 0
  }

  return {
    get size() {
      return heap.length - dead
    },
    add(timer) {
      heap.push(timer)
      siftUp(heap, heap.length - 1)
    },
    peek() {
      dropDeadHead()
      return heap[0]
    },
    take() {
      dropDeadHead()
      return removeHead(heap)
    },
    cancel(timer) {
      timer.callback = undefined
      dead += 1
      if (dead > SWEEP_FLOOR && dead > heap.length / 2) sweep()
    },
    list: () => heap.filter((timer) => timer.callback !== undefined),
  }
}

function isBefore(a: HeapTimer, b: HeapTimer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)
}

function removeHead(heap: HeapTimer[]): HeapTimer | undefined {
  const head = heap[0]
  const last = heap.pop()
  if (last !== undefined && last !== head) {
    heap[0] = last
    siftDown(heap)
  }
  return head
}

function siftUp(heap: HeapTimer[], from: number): void {
  const timer = heap[from] as HeapTimer
  let index = from
  while (index > 0) {
    const parentIndex = (index - 1) >> 1
    const parent = heap[parentIndex] as HeapTimer
    if (isBefore(parent, timer)) break
    heap[index] = parent
    index = parentIndex
  }
  heap[index] = timer
}

function siftDown(heap: HeapTimer[]): void {
  const timer = heap[0] as HeapTimer
  let index = 0
  for (;;) {
    let childIndex = 2 * index + 1
    if (childIndex >= heap.length) break
    const right = heap[childIndex + 1]
    if (right !== undefined && isBefore(right, heap[childIndex] as HeapTimer)) childIndex += 1
    const child = heap[childIndex] as HeapTimer
    if (isBefore(timer, child)) break
    heap[index] = child
    index = childIndex
  }
  heap[index] = timer
}

/** What a lazy heap holds. */
export interface Placeable {
  /** Counts the placements of the entry. An entry that was added under another ticket is stale. */
  ticket: number
}

/**
 * A heap of entries by a key, the lowest first, in which entries don't know their place. A new ticket and `markStale` remove an
 * entry; stale entries are deleted when they reach the front or become the majority. Only keys are compared, four children side by
 * side, so a large heap costs few cache misses.
 */
export interface LazyHeap<E extends Placeable> {
  /** How many entries aren't stale. */
  readonly size: number
  /** The first entry that isn't stale. */
  first(): E | undefined
  /** The key of the first entry; `Infinity` when there is none. */
  firstKey(): number
  add(entry: E, key: number): void
  /** Call it for each entry in the heap whose ticket has changed. */
  markStale(): void
  /**
   * How many others come before `entry` with `key`, which need not be here, or may be with another key; at most `most`. Looks at
   * few that don't.
   */
  countBefore(entry: E, key: number, most: number): number
  /** A copy of all entries that aren't stale, in no order. */
  entries(): readonly E[]
}

const CHILDREN = 4
const FEWEST_TO_SWEEP = 64

/** `isBefore` decides between equal keys. */
export function createLazyHeap<E extends Placeable>(isBefore: (a: E, b: E) => boolean): LazyHeap<E> {
  return new ArrayHeap(isBefore)
}

class ArrayHeap<E extends Placeable> implements LazyHeap<E> {
  private readonly keys: number[] = []
  private readonly held: E[] = []
  private readonly tickets: number[] = []
  private stale = 0

  constructor(private readonly isBefore: (a: E, b: E) => boolean) {}

  get size(): number {
    return this.held.length - this.stale
  }

  first(): E | undefined {
    if (this.stale > 0) this.dropStaleFirst()
    return this.held[0]
  }

  firstKey(): number {
    return this.first() === undefined ? Infinity : (this.keys[0] as number)
  }

  add(entry: E, key: number): void {
    this.keys.push(key)
    this.held.push(entry)
    this.tickets.push(entry.ticket)
    this.moveUp(this.held.length - 1, entry, key)
  }

  markStale(): void {
    this.stale += 1
    if (this.stale === this.held.length) this.cut(0)
    else if (this.stale > FEWEST_TO_SWEEP && this.stale * 2 > this.held.length) this.sweep()
  }

  entries(): readonly E[] {
    return this.held.filter((entry, place) => entry.ticket === this.tickets[place])
  }

  countBefore(entry: E, key: number, most: number): number {
    const places = [0]
    let count = 0
    for (let place = places.pop(); place !== undefined && count < most; place = places.pop()) {
      const held = this.held[place]
      if (held === undefined || !this.comesBefore(place, held, entry, key)) continue
      if (held !== entry && held.ticket === this.tickets[place]) count += 1
      for (let child = CHILDREN * place + 1; child <= CHILDREN * (place + 1); child++) places.push(child)
    }
    return count
  }

  private comesBefore(place: number, held: E, entry: E, key: number): boolean {
    const heldKey = this.keys[place] as number
    return heldKey < key || (heldKey === key && this.isBefore(held, entry))
  }

  private dropStaleFirst(): void {
    for (let head = this.held[0]; head !== undefined; head = this.held[0]) {
      if (head.ticket === this.tickets[0]) return
      this.stale -= 1
      this.removeFirst()
    }
  }

  private removeFirst(): void {
    const entry = this.held.pop() as E
    const key = this.keys.pop() as number
    const ticket = this.tickets.pop() as number
    if (this.held.length > 0) this.moveDown(0, entry, key, ticket)
  }

  private sweep(): void {
    const { keys, held, tickets } = this
    let kept = 0
    for (let place = 0; place < held.length; place++) {
      const entry = held[place] as E
      if (entry.ticket !== tickets[place]) continue
      this.put(kept, entry, keys[place] as number, entry.ticket)
      kept += 1
    }
    this.cut(kept)
    for (let place = (kept - 2) >> 2; place >= 0; place--) {
      this.moveDown(place, held[place] as E, keys[place] as number, tickets[place] as number)
    }
  }

  private cut(length: number): void {
    this.keys.length = length
    this.held.length = length
    this.tickets.length = length
    this.stale = 0
  }

  private put(place: number, entry: E, key: number, ticket: number): void {
    this.keys[place] = key
    this.held[place] = entry
    this.tickets[place] = ticket
  }

  private moveUp(from: number, entry: E, key: number): void {
    const { keys, held, tickets } = this
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 2
      const parentKey = keys[parent] as number
      if (key > parentKey || (key === parentKey && !this.isBefore(entry, held[parent] as E))) break
      this.put(place, held[parent] as E, parentKey, tickets[parent] as number)
      place = parent
    }
    if (place !== from) this.put(place, entry, key, entry.ticket)
  }

  private moveDown(from: number, entry: E, key: number, ticket: number): void {
    const { keys, held, tickets } = this
    const length = held.length
    let place = from
    for (let child = CHILDREN * place + 1; child < length; child = CHILDREN * place + 1) {
      let best = child
      let bestKey = keys[child] as number
      const end = Math.min(child + CHILDREN, length)
      for (let other = child + 1; other < end; other++) {
        const otherKey = keys[other] as number
        if (otherKey > bestKey) continue
        if (otherKey === bestKey && !this.isBefore(held[other] as E, held[best] as E)) continue
        best = other
        bestKey = otherKey
      }
      if (bestKey > key || (bestKey === key && !this.isBefore(held[best] as E, entry))) break
      this.put(place, held[best] as E, bestKey, tickets[best] as number)
      place = best
    }
    this.put(place, entry, key, ticket)
  }
}

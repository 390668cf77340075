import type { Feed, Place } from './feed.js'
import { outgoing, type Outgoing } from './outgoing.js'

/** Messages of one topic that go out together. */
export interface Batch {
  readonly messages: Outgoing
  readonly firstSeq: number
  readonly lastSeq: number
  /** The messages after `seq`, for a feed that got some of them from the log. */
  after(seq: number): Outgoing
}

/** The messages of one audience of a workspace, and its feeds. */
export class Topic {
  readonly place: Place
  readonly feeds = new Set<Feed>()
  #texts: string[] = []
  #seqs: number[] = []

  constructor(place: Place) {
    this.place = place
  }

  /** Adds a message to the next batch; true for the first one of it. */
  add(seq: number, text: string): boolean {
    this.#seqs.push(seq)
    return this.#texts.push(text) === 1
  }

  takeBatch(): Batch {
    const texts = this.#texts
    const seqs = this.#seqs
    this.#texts = []
    this.#seqs = []
    return {
      messages: outgoing(texts),
      firstSeq: seqs[0] ?? 0,
      lastSeq: seqs.at(-1) ?? 0,
      after: (seq) => outgoing(texts.slice(seqs.findIndex((each) => each > seq))),
    }
  }
}

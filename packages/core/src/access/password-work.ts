import { TaskboardError } from '../errors/index.js'
import type { PasswordHasher } from './password-hasher.js'

/** For whom a password is hashed or checked. */
export interface PasswordClient {
  /** A client, by what is known of its address, or a user. */
  readonly key: string
  /** Whether it is someone who is logged in, the host, or a client that has logged in lately. */
  readonly isKnown: boolean
}

/** Hashes and checks passwords, of which each takes much memory and time, a few at the same time. */
export interface PasswordWork {
  /** @throws TaskboardError `SERVICE_UNAVAILABLE` when too many wait. */
  hash(password: string, client: PasswordClient): Promise<string>
  /** As `PasswordHasher.verify`. @throws TaskboardError `SERVICE_UNAVAILABLE` when too many wait. */
  verify(password: string, stored: string, client: PasswordClient): Promise<boolean>
  /** Whether a stored hash should be made again from the password. */
  isOutdated(stored: string): boolean
  readonly decoy: string
}

interface PasswordWorkOptions {
  readonly hasher: PasswordHasher
  /** How many run at the same time; default 2, which leaves two of Node's four threads for other work. */
  readonly atOnce?: number | undefined
  /** How many may wait; default 100. */
  readonly mostWaiting?: number | undefined
}

interface Waiting {
  readonly go: () => void
  readonly refuse: (error: TaskboardError) => void
}

/** What clients wait for. Clients take turns, and known ones come first. */
class Turns {
  readonly #queues = { known: new Map<string, Waiting[]>(), others: new Map<string, Waiting[]>() }
  #count = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Joins a queue. When there is no room, the last of the longest queue of others gives way. Without others, the last of the longest queue
   * of known ones does, or else the newcomer.
   */
  join({ key, isKnown }: PasswordClient, waiting: Waiting): void {
    if (this.#count >= this.#most && !this.#makeRoom(key, isKnown)) return waiting.refuse(tooMany())
    const queues = isKnown ? this.#queues.known : this.#queues.others
    const queue = queues.get(key) ?? []
    queue.push(waiting)
    queues.set(key, queue)
    this.#count += 1
  }

  /** The next one, whose client then comes last of its kind. */
  take(): Waiting | undefined {
    const queues = this.#queues.known.size > 0 ? this.#queues.known : this.#queues.others
    const [first] = queues
    if (first === undefined) return undefined
    const [key, queue] = first
    const next = queue.shift()
    queues.delete(key)
    if (queue.length > 0) queues.set(key, queue)
    this.#count -= 1
    return next
  }

  #makeRoom(key: string, isKnown: boolean): boolean {
    const { known, others } = this.#queues
    const own = ((isKnown ? known : others).get(key)?.length ?? 0) + 1
    const queues = others.size > 0 ? others : known
    const [longest] = [...queues].toSorted(([, one], [, other]) => other.length - one.length)
    const givesWay = isKnown && queues === others
    if (longest === undefined || (!givesWay && longest[1].length <= own)) return false
    const [loser, queue] = longest
    queue.pop()?.refuse(tooMany())
    if (queue.length === 0) queues.delete(loser)
    this.#count -= 1
    return true
  }
}

function tooMany(): TaskboardError {
  return new TaskboardError('SERVICE_UNAVAILABLE', 'too many logins at the same time; try again', {
    retryAfterMs: 1_000,
  })
}

/** The work of this process. */
export function createPasswordWork(options: PasswordWorkOptions): PasswordWork {
  const { hasher, atOnce = 2, mostWaiting = 100 } = options
  const turns = new Turns(mostWaiting)
  let inside = 0

  async function inTurn<T>(client: PasswordClient, work: () => Promise<T>): Promise<T> {
    if (inside < atOnce) inside += 1
    else await new Promise<void>((go, refuse) => turns.join(client, { go, refuse }))
    try {
      return await work()
    } finally {
      const next = turns.take()
      // The next in line takes over this place.
      if (next === undefined) inside -= 1
      else next.go()
    }
  }

  return {
    hash: (password, client) => inTurn(client, () => hasher.hash(password)),
    verify: (password, stored, client) => inTurn(client, () => hasher.verify(password, stored)),
    isOutdated: (stored) => hasher.isOutdated?.(stored) ?? false,
    decoy: hasher.decoy,
  }
}

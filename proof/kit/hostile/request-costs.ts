import { setTimeout } from 'node:timers/promises'

/** A request that is meant to take long. */
export interface HostileRequest {
  readonly name: string
  /** Returns the work that it needs in any case, such as parsing its body. */
  readonly prepareFloor: () => () => unknown
  /** Creates the request, and returns a function that handles it once and resolves with the status. */
  readonly prepare: () => (() => Promise<number>) | Promise<() => Promise<number>>
}

/** How much a request may cost. */
export interface CostBound {
  /**
   * In milliseconds of processor time, whatever the floor is: an error costs as much for any request. A machine that is slower, or busy
   * with other work, has so much more time.
   */
  readonly allowanceMs: number
  /** So many times the floor may come on top. */
  readonly mostTimes: number
}

export interface SlowRequests {
  readonly requests: number
  /** In milliseconds of processor time. */
  readonly slow: readonly (readonly [name: string, spent: number, floor: number])[]
}

const TRIES = 5
/** Other work on the machine takes processor time from a request, too, by its caches: what seems slow is tried again later. */
const ROUNDS = 6
const PAUSE_MS = 1_000

/** Finds the requests that cost more than they may. Run it in a process of its own: its processor time is what counts. */
export async function findSlowRequests(
  requests: readonly HostileRequest[],
  bound: CostBound,
): Promise<SlowRequests> {
  let suspects = requests
  let slow: SlowRequests['slow'] = []
  for (let round = 0; round < ROUNDS && suspects.length > 0; round++) {
    if (round > 0) await setTimeout(PAUSE_MS)
    const found = await measureAll(suspects, bound)
    suspects = found.map(({ request }) => request)
    slow = found.map(({ cost }) => cost)
  }
  return { requests: requests.length, slow }
}

interface FoundSlow {
  readonly request: HostileRequest
  readonly cost: SlowRequests['slow'][number]
}

async function measureAll(
  requests: readonly HostileRequest[],
  { allowanceMs, mostTimes }: CostBound,
): Promise<readonly FoundSlow[]> {
  const found: FoundSlow[] = []
  for (const request of requests) {
    const { name, prepareFloor } = request
    const spent = await leastMsOf(request, TRIES, allowanceMs)
    if (spent <= allowanceMs) continue
    const floor = await leastMs(prepareFloor, TRIES, 0)
    if (spent > allowanceMs * (await slowness()) + mostTimes * floor)
      found.push({ request, cost: [name, spent, floor] })
  }
  return found
}

/** Takes about `REFERENCE_MS` of processor time where nothing else runs. */
const REFERENCE = JSON.stringify(
  Array.from({ length: 3_000 }, (_, id) => ({ id, text: `entry ${id}`, tags: ['a', 'b'] })),
)
const REFERENCE_MS = 2

/** How many times as long a fixed piece of work takes now; at least 1. */
async function slowness(): Promise<number> {
  const work = () => () => JSON.stringify(JSON.parse(REFERENCE))
  return Math.max(1, (await leastMs(work, TRIES, REFERENCE_MS)) / REFERENCE_MS)
}

/**
 * The least processor time of a request in some tries, until one is quick enough.
 * @throws Error when a limit refused it, because its cost is then unknown.
 */
export function leastMsOf({ prepare }: HostileRequest, tries: number, enoughMs: number): Promise<number> {
  return leastMs(sending(prepare), tries, enoughMs)
}

function sending(prepare: HostileRequest['prepare']): () => Promise<() => Promise<void>> {
  return async () => {
    const send = await prepare()
    return async () => {
      if ((await send()) === 429) throw new Error('a limit was reached')
    }
  }
}

/** The least processor time of some tries, until one is quick enough: what else the machine does can only add to it. */
async function leastMs(
  prepare: () => (() => unknown) | Promise<() => unknown>,
  tries: number,
  enoughMs: number,
): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < tries && least > enoughMs; attempt++) {
    const work = await prepare()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

import { Pool } from 'undici'

/** Requests at a steady rate, one after another in each lane, until `end`. */
export interface MixedLoad {
  readonly counts: { added: number; listed: number; moved: number; refused: number }
  /** Resolves when the last answer has arrived. */
  end(): Promise<void>
}

export interface LoadTarget {
  readonly url: string
  readonly keys: readonly string[]
}

const ADDS_PER_SECOND = 40
const LISTS_PER_SECOND = 10
const MOVES_PER_SECOND = 4
const MOST_IN_FLIGHT = 20

/** The requests of a busy client. A request that is due while too many are in flight is skipped, so the rate is bounded. */
export function beginMixedLoad({ url, keys }: LoadTarget): MixedLoad {
  const counts = { added: 0, listed: 0, moved: 0, refused: 0 }
  const client = new Pool(url, { connections: MOST_IN_FLIGHT })
  const inFlight = new Set<Promise<void>>()
  const recent: string[] = []
  let turn = 0

  async function call(key: string, action: string, body?: object): Promise<unknown> {
    const { statusCode, body: answer } = await client.request({
      path: `/api/board?action=${action}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const json = await answer.json()
    if (statusCode !== 200) counts.refused += 1
    return statusCode === 200 ? json : null
  }

  async function add(key: string): Promise<void> {
    const made = (await call(key, 'add', {
      title: `Task ${counts.added}`,
      description: 'Something to do, in a sentence or two that say what.',
      priority: (['low', 'medium', 'high', 'urgent'] as const)[counts.added % 4],
      tags: ['soak'],
    })) as { readonly task: { readonly id: string } } | null
    if (made === null) return
    counts.added += 1
    if (key === keys[0]) recent.push(made.task.id)
  }

  async function list(key: string): Promise<void> {
    if ((await call(key, `${(['todo', 'doing', 'done'] as const)[turn % 3]}&limit=50`)) !== null)
      counts.listed += 1
  }

  async function move(): Promise<void> {
    const id = recent.shift()
    const key = keys[0]
    if (id === undefined || key === undefined) return
    if ((await call(key, 'move', { task_id: id, to: 'todo' })) !== null) counts.moved += 1
  }

  const nextKey = (): string => keys[(turn += 1) % keys.length] ?? ''
  function every(perSecond: number, request: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => {
      if (inFlight.size >= MOST_IN_FLIGHT) return
      const underWay = request()
        .catch(() => void (counts.refused += 1))
        .finally(() => inFlight.delete(underWay))
      inFlight.add(underWay)
    }, 1_000 / perSecond)
  }

  const timers = [
    every(ADDS_PER_SECOND, () => add(nextKey())),
    every(LISTS_PER_SECOND, () => list(nextKey())),
    every(MOVES_PER_SECOND, move),
  ]
  return {
    counts,
    async end() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(inFlight)
      await client.close()
    },
  }
}

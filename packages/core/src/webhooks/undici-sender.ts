import { type Connect, createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.js'
import { describeFault, HttpExchange } from './http-exchange.js'
import type { Sender, SendResult } from './sender.js'
import { Pool } from './undici.js'

/** The connections to one origin. */
interface OriginPool {
  readonly pool: Pool
  /** How many use it now. It stays open while in use. */
  uses: number
}

/** A pool per origin. Beyond `most`, the least recently used idle pools are closed. */
interface OriginPools {
  /** The origin's pool. It stays open at least until it is returned. */
  take(origin: string): OriginPool
  giveBack(taken: OriginPool): void
  /** Closes all connections, including those in use. A later use opens a new pool. */
  close(): Promise<void>
}

/** Less than the 5 s after which Node's servers close, so that a request rarely meets a connection that just ended. */
const KEEP_ALIVE_MS = 4_000

function createOriginPools(most: number, connect: Connect): OriginPools {
  const pools = new Map<string, OriginPool>()
  let newest: string | undefined

  function open(origin: string): Pool {
    const timers = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }
    return new Pool(origin, { connect, pipelining: 1, ...timers })
  }

  function closeIdle(): void {
    for (const [origin, { pool, uses }] of pools) {
      if (pools.size <= most) return
      if (uses > 0) continue
      pools.delete(origin)
      void pool.destroy()
    }
  }

  return {
    take(origin) {
      const found = pools.get(origin)
      const entry = found ?? { pool: open(origin), uses: 0 }
      if (found === undefined || origin !== newest) {
        pools.delete(origin)
        pools.set(origin, entry)
        newest = origin
      }
      entry.uses += 1
      return entry
    },
    giveBack(taken) {
      taken.uses -= 1
      if (pools.size > most) closeIdle()
    },
    async close() {
      const all = [...pools.values()]
      pools.clear()
      newest = undefined
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}

export interface UndiciSenderOptions extends GuardedConnectorOptions {
  /** For how many origins connections are kept. The least recently used idle ones close first. Default 256. */
  readonly maxPools?: number | undefined
}

const DEFAULT_MAX_POOLS = 256
const MOST_TARGETS = 4_096

const aborted: SendResult = { kind: 'aborted' }

/**
 * Sends with undici: one pool of kept-alive HTTP/1.1 connections per origin, opened on demand. No connection is open before the first send.
 * A send after `close` opens new connections.
 */
export function createUndiciSender(options: UndiciSenderOptions): Sender {
  const { clock } = options
  const connector = createGuardedConnector(options)
  const pools = createOriginPools(options.maxPools ?? DEFAULT_MAX_POOLS, connector.connect)
  const targetOf = createTargetCache()
  const groupOf = createAbortGroups()

  return {
    send: ({ url, headers, body, timeoutMs, signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(aborted)
        const target = targetOf(url)
        if (target === null) return resolve({ kind: 'unanswered', ...describeFault(null) })
        const group = groupOf(signal)
        const taken = pools.take(target.origin)
        const exchange = new HttpExchange((result) => {
          timer.cancel()
          group.delete(exchange)
          pools.giveBack(taken)
          resolve(result)
        })
        const timer = clock.setTimer(() => exchange.end(timedOut(timeoutMs)), timeoutMs)
        group.add(exchange)
        taken.pool.dispatch({ method: 'POST', path: target.path, headers, body }, exchange)
      }),
    async close() {
      connector.close()
      await pools.close()
    },
  }
}

interface Target {
  readonly origin: string
  readonly path: string
}

/** Parses URLs, and caches the last few thousand. Null for an invalid URL. */
function createTargetCache(): (url: string) => Target | null {
  const targets = new Map<string, Target>()
  return (text) => {
    const found = targets.get(text)
    if (found !== undefined) return found
    if (!URL.canParse(text)) return null
    const url = new URL(text)
    const target = { origin: url.origin, path: url.pathname + url.search }
    const [oldest] = targets.keys()
    if (targets.size >= MOST_TARGETS && oldest !== undefined) targets.delete(oldest)
    targets.set(text, target)
    return target
  }
}

/** Ends exchanges on a signal: one listener for all that share it, because each listener costs more than the rest of a send. */
function createAbortGroups(): (signal: AbortSignal) => Set<HttpExchange> {
  const groups = new WeakMap<AbortSignal, Set<HttpExchange>>()
  return (signal) => {
    const found = groups.get(signal)
    if (found !== undefined) return found
    const group = new Set<HttpExchange>()
    groups.set(signal, group)
    signal.addEventListener('abort', () => group.forEach((exchange) => exchange.end(aborted)), { once: true })
    return group
  }
}

function timedOut(timeoutMs: number): SendResult {
  return { kind: 'unanswered', error: 'timeout', detail: `no full response within ${timeoutMs} ms` }
}

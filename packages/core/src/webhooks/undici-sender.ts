import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.js'
import { HttpExchange } from './http-exchange.js'
import { createOriginPools } from './origin-pools.js'
import { describeFault } from './send-fault.js'
import type { Sender, SendResult } from './sender.js'

export interface UndiciSenderOptions extends GuardedConnectorOptions {
  /** For how many origins connections are kept. The least recently used idle ones close first. Default 256. */
  readonly maxPools?: number | undefined
}

const DEFAULT_MAX_POOLS = 256
const MOST_TARGETS = 4_096
const aborted: SendResult = { kind: 'aborted' }

/**
 * Sends with undici: one pool of kept-alive HTTP/1.1 connections per origin, opened on demand. Nothing is open before the first
 * send. A send after `close` opens new connections.
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
  return { kind: 'unanswered', error: 'timeout', detail: `no full answer within ${timeoutMs} ms` }
}

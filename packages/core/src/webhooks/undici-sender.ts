import { isIP, type Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import type { Clock } from '../environment/index.js'
import type { EndpointGuard } from './endpoint-guard.js'
import { createGuardedLookup, RefusedAddressError } from './guarded-lookup.js'
import { readExcerpt } from './read-excerpt.js'
import type { Resolver } from './resolver.js'
import { describeFault } from './send-fault.js'
import type { Sender, SendRequest, SendResult } from './sender.js'

export interface UndiciSenderOptions {
  /** Rules the time-outs. */
  readonly clock: Clock
  readonly guard: EndpointGuard
  readonly resolver: Resolver
  /** Certificates (PEM) to trust instead of the well-known ones. Certificates are always verified. */
  readonly ca?: string | readonly string[] | undefined
  /** How long a connection may take to come about. Default 30 s, as much as a whole send. */
  readonly connectTimeoutMs?: number | undefined
  /** For how many origins connections are kept; the least recently used idle ones go first. Default 256. */
  readonly maxPools?: number | undefined
}

const DEFAULT_MAX_POOLS = 256
const DEFAULT_CONNECT_TIMEOUT_MS = 30_000
/** Below the 5 s after which Node's own servers hang up, so that a request rarely meets a connection that just ended. */
const KEEP_ALIVE_MS = 4_000

/**
 * Sends with undici: one pool with kept-alive HTTP/1.1 connections per origin, opened as they are needed. Nothing is open
 * before the first send; after `close` a further send opens anew.
 */
export function createUndiciSender(options: UndiciSenderOptions): Sender {
  const { clock } = options
  const connector = createConnector(options)
  const pools = createOriginPools(options.maxPools ?? DEFAULT_MAX_POOLS, connector.connect)

  async function post({ url: text, headers, body }: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const url = new URL(text)
    const path = url.pathname + url.search
    return pools.use(url.origin, async (pool) => {
      const answer = await pool.request({ method: 'POST', path, headers, body, signal })
      return { kind: 'answered', status: answer.statusCode, excerpt: await readExcerpt(answer.body) }
    })
  }

  return {
    async send(request) {
      if (request.signal.aborted) return { kind: 'aborted' }
      const controller = new AbortController()
      let ended: SendResult | undefined
      const end = (result: SendResult): void => {
        ended ??= result
        controller.abort()
      }
      const abort = (): void => end({ kind: 'aborted' })
      const timer = clock.setTimer(() => end(timedOut(request.timeoutMs)), request.timeoutMs)
      request.signal.addEventListener('abort', abort, { once: true })
      try {
        return await post(request, controller.signal)
      } catch (error) {
        return ended ?? { kind: 'unanswered', ...describeFault(error) }
      } finally {
        timer.cancel()
        request.signal.removeEventListener('abort', abort)
      }
    },
    async close() {
      connector.close()
      await pools.close()
    },
  }
}

interface OriginPools {
  /** Runs `work` with the origin's pool, which stays open at least until it settles. */
  use<T>(origin: string, work: (pool: Pool) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A pool per origin. Of more than `most` the least recently used ones without work are closed. */
function createOriginPools(most: number, connect: Connect): OriginPools {
  const pools = new Map<string, { readonly pool: Pool; uses: number }>()

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
    async use(origin, work) {
      const entry = pools.get(origin) ?? { pool: open(origin), uses: 0 }
      pools.delete(origin)
      pools.set(origin, entry)
      entry.uses += 1
      try {
        return await work(entry.pool)
      } finally {
        entry.uses -= 1
        closeIdle()
      }
    },
    async close() {
      const all = [...pools.values()]
      pools.clear()
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}

type Connect = buildConnector.connector
type Connected = Parameters<buildConnector.Callback>

/**
 * Opens sockets to addresses that the guard has accepted and to no others: names by way of the lookup, literals (for which
 * sockets ask no lookup) before, and what came about once more after.
 */
function createConnector(options: UndiciSenderOptions): { connect: Connect; close(): void } {
  const { clock, guard, resolver } = options
  const timeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS
  const connecting = new Set<Socket>()
  const ca = typeof options.ca === 'string' ? options.ca : options.ca && [...options.ca]
  const openers = {
    'http:': buildConnector({ timeout: 0, lookup: createGuardedLookup(guard, resolver, 'http:') }),
    'https:': buildConnector({
      timeout: 0,
      allowH2: false,
      rejectUnauthorized: true,
      lookup: createGuardedLookup(guard, resolver, 'https:'),
      ...(ca !== undefined && { ca }),
    }),
  }

  function refuse(address: string, protocol: 'http:' | 'https:'): RefusedAddressError | null {
    const reason = guard.refuseAddress(address, protocol)
    return reason === null ? null : new RefusedAddressError(reason)
  }

  const connect: Connect = (request, callback) => {
    const protocol = request.protocol === 'http:' ? 'http:' : 'https:'
    const refused = isIP(request.hostname) === 0 ? null : refuse(request.hostname, protocol)
    if (refused) return callback(refused, null)
    const settle = (...[error, connected]: Connected): void => {
      timer.cancel()
      if (socket) connecting.delete(socket)
      // undici leaves the socket out, although its types say null.
      if (error !== null || connected == null) return callback(error ?? fault('ECONNABORTED'), null)
      const late = refuse(connected.remoteAddress ?? '', protocol)
      if (late === null) return callback(null, connected)
      connected.destroy()
      callback(late, null)
    }
    // undici gives the socket back, although its types do not say so.
    const socket = openers[protocol](request, settle) as unknown as Socket | undefined
    if (socket) connecting.add(socket)
    const timer = clock.setTimer(() => socket?.destroy(fault('ETIMEDOUT')), timeoutMs)
  }

  return {
    connect,
    close() {
      for (const socket of connecting) socket.destroy(fault('ECONNABORTED'))
    },
  }
}

function fault(code: string): Error {
  return Object.assign(new Error('the connection was not made'), { code })
}

function timedOut(timeoutMs: number): SendResult {
  return { kind: 'unanswered', error: 'timeout', detail: `no full answer within ${timeoutMs} ms` }
}

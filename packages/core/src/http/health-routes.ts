import { atMost, type Instant, type LoopState } from '../environment/index.js'
import { type NamesOf, requireOptionNames, routePath, TaskboardError } from '../errors/index.js'
import type { StorageState } from '../storage/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import type { HttpRequest, HttpResponse, Route, RouteGroup } from './http.js'
import { servicesOf } from './services-of.js'

export interface HealthRouteOptions {
  /** Where the process responds whether it is alive. Default `/healthz`. */
  readonly livePath?: `/${string}` | undefined
  /** Where it answers whether it can take requests. Default `/readyz`. */
  readonly readyPath?: `/${string}` | undefined
  /**
   * After how long a pass of a background loop that doesn't end, or doesn't begin although it is due, counts as stuck. Default 300,000,
   * from 1,000.
   */
  readonly stuckAfterMs?: number | undefined
  /** How long the storage has to respond. Default 2,000, from 10. */
  readonly storageTimeoutMs?: number | undefined
}

/** Why a check fails: a code, and words for people. */
interface Reason {
  readonly code: string
  readonly message: string
}

const names: NamesOf<HealthRouteOptions> = {
  livePath: true,
  readyPath: true,
  stuckAfterMs: true,
  storageTimeoutMs: true,
}
const DEFAULT_STUCK_MS = 300_000
const DEFAULT_STORAGE_MS = 2_000
/** How long an response of the storage counts, so that no caller makes the process ask it all the time. */
const ANSWER_COUNTS_MS = 500

/**
 * Two routes for those who watch the process. Neither asks for a credential, and their answers contain no name or id of the board's.
 *
 * `/healthz` fails when the process should be restarted: a background loop is stuck. `/readyz` fails when requests should go to other
 * processes. The task board isn't started or closes, or its storage doesn't respond in time or lacks migrations. Both return 200 or 503,
 * with `{ "status", "reasons" }`.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { healthRoutes, toFetchHandler } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const handle = toFetchHandler(taskboard, { routes: [healthRoutes(taskboard)] })
 * console.log((await handle(new Request('https://board.example/readyz'))).status) // 503
 * await taskboard.start()
 * console.log((await handle(new Request('https://board.example/readyz'))).status) // 200
 * await taskboard.close()
 * ```
 * @throws TaskboardError `INVALID_CONFIG` for an unknown option, and for one with an invalid value.
 */
export function healthRoutes(
  taskboard: { readonly services: TransportServices },
  options: HealthRouteOptions = {},
): RouteGroup {
  requireOptionNames<HealthRouteOptions>(options, names)
  const services = servicesOf(taskboard)
  const livePath = routePath('livePath', options.livePath ?? '/healthz')
  const readyPath = routePath('readyPath', options.readyPath ?? '/readyz')
  const stuckAfterMs = requireMs('stuckAfterMs', options.stuckAfterMs ?? DEFAULT_STUCK_MS, 1_000)
  const timeoutMs = requireMs('storageTimeoutMs', options.storageTimeoutMs ?? DEFAULT_STORAGE_MS, 10)
  const { clock, loops } = services.environment
  const storage = createStorageProbe(services, timeoutMs)
  return {
    routes: [
      route(livePath, async () => loops.list().flatMap((loop) => stuck(loop, clock.now(), stuckAfterMs))),
      route(readyPath, async () => {
        const reason = reasonOfPhase(services)
        return [...(reason === null ? [] : [reason]), ...(await storage())]
      }),
    ],
  }
}

function requireMs(field: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= 86_400_000) return value
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number from ${least} to 86400000`, {
    field,
  })
}

function route(path: string, check: () => Promise<readonly Reason[]>): Route {
  return {
    path,
    async handle(request: HttpRequest): Promise<HttpResponse> {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return answer(405, { status: 'refused', reasons: [] }, { allow: 'GET, HEAD' })
      }
      const reasons = await check()
      return answer(reasons.length === 0 ? 200 : 503, {
        status: reasons.length === 0 ? 'ok' : 'failing',
        reasons,
      })
    },
  }
}

function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const common = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...common, ...headers }, body: JSON.stringify(body) }
}

/** Loops of agents and channels have the host's names behind a colon, which the answer leaves out. */
function stuck({ name, passSince, dueAt }: LoopState, now: Instant, stuckAfterMs: number): readonly Reason[] {
  const since = passSince ?? dueAt
  if (since === null || now - since <= stuckAfterMs) return []
  const what = passSince === null ? 'is overdue' : 'has been in one pass'
  const seconds = Math.floor((now - since) / 1_000)
  const [kind = name] = name.split(':')
  return [{ code: 'loop_stuck', message: `the background loop ${kind} ${what} for ${seconds} s` }]
}

function reasonOfPhase({ health }: TransportServices): Reason | null {
  switch (health.phase.current) {
    case 'created':
      return { code: 'not_started', message: 'the task board is not started' }
    case 'starting':
      return { code: 'starting', message: 'the task board is starting' }
    case 'draining':
      return { code: 'draining', message: 'Taskboard is closing' }
    case 'closed':
      return { code: 'closed', message: 'the task board is closed' }
    case 'started':
      return null
  }
}

const LATE = 'late'

/** Asks the storage. Requests that come at the same time, or soon after, share the answer. */
function createStorageProbe(
  { environment, health }: TransportServices,
  timeoutMs: number,
): () => Promise<readonly Reason[]> {
  const { clock, logger } = environment
  let asking: Promise<readonly Reason[]> | null = null
  let askedAt: Instant = -Infinity

  async function ask(): Promise<readonly Reason[]> {
    try {
      const checking = health.check()
      let state: StorageState | typeof LATE = LATE
      await atMost(
        clock,
        timeoutMs,
        checking.then((seen) => (state = seen)),
      )
      return reasonsOf(state, timeoutMs)
    } catch (error) {
      logger.warn({ err: error }, 'the storage failed a readiness check')
      return [{ code: 'storage_unavailable', message: 'the storage does not respond' }]
    }
  }

  return () => {
    const now = clock.now()
    const isFresh = now >= askedAt && now - askedAt < ANSWER_COUNTS_MS
    if (asking === null || !isFresh) {
      askedAt = now
      asking = ask()
    }
    return asking
  }
}

function reasonsOf(state: StorageState | typeof LATE, timeoutMs: number): readonly Reason[] {
  if (state === LATE) {
    return [{ code: 'storage_late', message: `the storage does not respond within ${timeoutMs} ms` }]
  }
  if (state.isCurrent) return []
  return [{ code: 'migrations_pending', message: 'the storage lacks migrations of this version' }]
}

import { createBackgroundLoop, type Environment, type BackgroundLoop } from '../environment/index.js'
import { type EventTally, type LoggedEvent, tallyOf } from '../events/index.js'
import { type AnalyticsStore, type Day, dayOf } from './analytics-store.js'

/** The contribution of an event to the figures of a day, for tasks of one type. */
export interface EventCount extends Omit<EventTally, 'at'> {
  readonly day: Day
}

/**
 * What an event counts for; null for most. A task that leaves DONE takes its completion back, on the day of that completion. The
 * storages do the same, in SQL where they can.
 * @example
 * ```ts
 * import { createTaskboard, transition } from '@taskboard/core'
 * import { countEvent, currentPayloadVersion } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 *
 * const move = { kind: 'move', to: 'DONE', actor: { kind: 'user', id: 'user_1' } } as const
 * const [event] = transition(task, move, task.createdAt).events
 * if (event === undefined) throw new Error('a move has an event')
 * const place = { id: 'log_1', workspaceId: workspace.id, seq: 1, at: task.createdAt }
 * console.log(countEvent({ ...event, ...place, payloadVersion: currentPayloadVersion })?.completed) // 1
 * ```
 */
export function countEvent(event: LoggedEvent): EventCount | null {
  const tally = tallyOf(event)
  if (tally === null) return null
  const { at, type, created, completed, failed, timed, takenMs } = tally
  return { day: dayOf(at), type, created, completed, failed, timed, takenMs }
}

const BATCH = 5_000

/** Rolls up new events every `everyMs`. Queries also count what isn't yet rolled up, so nothing waits for this. */
export function createRollUpSweep<Tx>(
  environment: Environment,
  store: Pick<AnalyticsStore<Tx>, 'rollUp'>,
  everyMs: number,
): BackgroundLoop {
  return createBackgroundLoop({
    name: 'analytics-roll-up',
    environment,
    pollIntervalMs: null,
    async pass() {
      const taken = await store.rollUp({ limit: BATCH }, environment.call())
      return taken >= BATCH ? 'now' : everyMs
    },
  })
}

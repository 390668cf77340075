import {
  createBackgroundLoop,
  type AuditActor,
  type BackgroundLoop,
  type Environment,
  type Instant,
} from '../environment/index.js'
import type { AuditAction, AuditRecord } from './audit-record.js'
import type { AuditOwner, AuditStore } from './audit-store.js'

/** Something that was refused. */
export interface AuditRefusal {
  readonly action: AuditAction
  readonly of: AuditOwner
  readonly by: AuditActor
}

/** Counts what was refused, and appends a record for each caller and minute. */
export interface AuditCounts {
  /** Cheap, and never throws. */
  count(refusal: AuditRefusal): void
  /** Appends what a minute has counted, soon after its end; when it stops, also what the present minute has. */
  readonly loop: BackgroundLoop
}

const MINUTE_MS = 60_000
/** Whoever comes after them in a minute is counted as others, so that a flood of addresses takes little memory and few rows. */
const MOST_CALLERS = 1_000

/** A refusal of the minute, with how often it came. */
interface Counted extends AuditRefusal {
  count: number
}

/**
 * What is counted is in memory for a minute: a process that dies loses that. `onRecord` is called for each record that was appended.
 */
export function createAuditCounts<Tx>({
  environment,
  store,
  onRecord,
}: {
  readonly environment: Environment
  readonly store: AuditStore<Tx>
  readonly onRecord: (record: AuditRecord) => void
}): AuditCounts {
  const counted = new Map<string, Counted>()
  /** When the minute is over whose refusals are counted; null while there are none. */
  let dueAt: Instant | null = null

  async function flush(): Promise<void> {
    for (const [key, { action, of, by, count }] of Array.from(counted)) {
      const record = { action, of, target: null, details: {}, count }
      const call = environment.call<Tx>({ by })
      // Before the write: what comes meanwhile is counted anew.
      counted.delete(key)
      for (const each of await store.appendAudit([record], call)) onRecord(each)
    }
  }

  const timed = createBackgroundLoop({
    name: 'audit-counts',
    environment,
    pollIntervalMs: null,
    async pass() {
      if (counted.size === 0) return null
      const now = environment.clock.now()
      dueAt ??= now + MINUTE_MS
      if (now < dueAt) return dueAt - now
      dueAt = null
      await flush()
      return counted.size === 0 ? null : 'now'
    },
  })
  return {
    count(refusal) {
      const { action, of, by } = refusal
      const isFirst = counted.size === 0
      const key = JSON.stringify([action, of, by.kind, by.id, by.clientAddress])
      const known = counted.get(key)
      if (known !== undefined) known.count += 1
      else if (counted.size < MOST_CALLERS) counted.set(key, { ...refusal, count: 1 })
      else {
        const others = counted.get(action)
        if (others !== undefined) others.count += 1
        else
          counted.set(action, {
            action,
            of: { accountId: null },
            by: { kind: 'system', name: 'others' },
            count: 1,
          })
      }
      if (isFirst) timed.wake()
    },
    loop: {
      start: () => timed.start(),
      wake: () => timed.wake(),
      async stop() {
        await timed.stop()
        await flush().catch((error: unknown) =>
          environment.logger.error({ err: error }, 'the last refusals are not in the audit'),
        )
      },
    },
  }
}

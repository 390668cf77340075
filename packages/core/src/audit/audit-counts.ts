import {
  createBackgroundLoop,
  type AuditActor,
  type BackgroundLoop,
  type Environment,
  type Instant,
} from '../environment/index.js'
import { addressBucket } from '../access/index.js'
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
/**
 * Callers of an account, and those of no account, in a minute. Whoever comes after them is counted as others of the same account, so that
 * a flood takes little memory and few rows, and nothing from the records of other accounts.
 */
const MOST_CALLERS = 100
const MOST_OWNERS = 10_000

const OTHERS: AuditActor = { kind: 'system', name: 'others' }

const isOthers = ({ by }: AuditRefusal): boolean => by === OTHERS

/** A refusal of the minute, with how often it came. */
interface Counted extends AuditRefusal {
  count: number
}

/** Refusals with the same key are one record. */
function keyOf({ action, of, by: { kind, id, clientAddress } }: AuditRefusal): string {
  const address = clientAddress == null ? null : addressBucket(clientAddress)
  return JSON.stringify([of, action, kind, id, address])
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
  /** How many callers of each owner are counted. */
  const callers = new Map<string, number>()
  /** When the minute is over whose refusals are counted; null while there are none. */
  let dueAt: Instant | null = null

  function add(refusal: AuditRefusal, count: number): void {
    const owner = JSON.stringify(refusal.of)
    const key = keyOf(refusal)
    const known = counted.get(key)
    const held = callers.get(owner) ?? 0
    if (known !== undefined) known.count += count
    else if (isOthers(refusal) || held < MOST_CALLERS) {
      counted.set(key, { ...refusal, count })
      callers.set(owner, held + 1)
    } else add({ ...refusal, by: OTHERS }, count)
  }

  async function append({ action, of, by, count }: Counted): Promise<void> {
    const records = [{ action, of, target: null, details: {}, count }]
    for (const each of await store.appendAudit(records, environment.call<Tx>({ by }))) onRecord(each)
  }

  async function flush(): Promise<void> {
    const due = Array.from(counted.values())
    // Before the writes: what comes in the meantime is counted for itself.
    counted.clear()
    callers.clear()
    for (let refusal = due.shift(); refusal !== undefined; refusal = due.shift()) {
      try {
        await append(refusal)
      } catch (error) {
        for (const each of [refusal, ...due]) add(each, each.count)
        throw error
      }
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
      const isFirst = counted.size === 0
      // Of so many accounts at once, those that come last are counted together.
      const isKnown = callers.size < MOST_OWNERS || callers.has(JSON.stringify(refusal.of))
      add(isKnown ? refusal : { action: refusal.action, of: { accountId: null }, by: OTHERS }, 1)
      if (isFirst) timed.wake()
    },
    loop: {
      ...timed,
      async stop() {
        await timed.stop()
        await flush().catch((error: unknown) =>
          environment.logger.error({ err: error }, 'the last refusals are not in the audit'),
        )
      },
    },
  }
}

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

/** Something that was rejected. */
export interface AuditRefusal {
  readonly action: AuditAction
  readonly of: AuditOwner
  readonly by: AuditActor
}

/** Counts what was rejected, and appends a record for each caller and minute. */
export interface AuditCounts {
  /** Cheap, and never throws. */
  count(refusal: AuditRefusal): void
  /** Appends what a minute has counted, soon after its end, and when it stops, the counts of the current minute. */
  readonly loop: BackgroundLoop
}

const MINUTE_MS = 60_000
/**
 * Callers of an account, and callers without an account, in a minute. Later callers are counted as others of the same account. A flood
 * therefore takes little memory and few rows, and nothing from the records of other accounts.
 */
const MOST_CALLERS = 100
const MOST_OWNERS = 10_000

const OTHERS: AuditActor = { kind: 'system', name: 'others' }

const isOthers = ({ by }: AuditRefusal): boolean => by === OTHERS

/** A rejection of the minute, with how often it came. */
interface Counted extends AuditRefusal {
  count: number
}

/** Rejections with the same key are one record. */
function keyOf({ action, of, by: { kind, id, clientAddress } }: AuditRefusal): string {
  const address = clientAddress == null ? null : addressBucket(clientAddress)
  return JSON.stringify([of, action, kind, id, address])
}

/** What was rejected in a minute, by owner, action and caller. */
function createTally() {
  const counted = new Map<string, Counted>()
  /** How many callers of each owner are counted. */
  const callers = new Map<string, number>()

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

  return {
    add,
    isEmpty: (): boolean => counted.size === 0,
    /** Of so many accounts at the same time, those that come last are counted together. */
    count(refusal: AuditRefusal): void {
      const isKnown = callers.size < MOST_OWNERS || callers.has(JSON.stringify(refusal.of))
      add(isKnown ? refusal : { action: refusal.action, of: { accountId: null }, by: OTHERS }, 1)
    },
    takeAll(): Counted[] {
      const all = Array.from(counted.values())
      counted.clear()
      callers.clear()
      return all
    },
  }
}

/**
 * The counts stay in memory for a minute: a process that dies loses them. `onRecord` is called for each record that was appended.
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
  const tally = createTally()
  /** When the minute is over whose rejections are counted; null while there are none. */
  let dueAt: Instant | null = null

  async function append({ action, of, by, count }: Counted): Promise<void> {
    const records = [{ action, of, target: null, details: {}, count }]
    for (const each of await store.appendAudit(records, environment.call<Tx>({ by }))) onRecord(each)
  }

  async function flush(): Promise<void> {
    // Before the writes: what comes in the meantime is counted for itself.
    const due = tally.takeAll()
    for (let refusal = due.shift(); refusal !== undefined; refusal = due.shift()) {
      try {
        await append(refusal)
      } catch (error) {
        // Behind the others, in case it is the record that fails, and not the storage.
        for (const each of [...due, refusal]) tally.add(each, each.count)
        throw error
      }
    }
  }

  const timed = createBackgroundLoop({
    name: 'audit-counts',
    environment,
    pollIntervalMs: null,
    async pass() {
      if (tally.isEmpty()) return null
      const now = environment.clock.now()
      dueAt ??= now + MINUTE_MS
      if (now < dueAt) return dueAt - now
      dueAt = null
      await flush()
      return tally.isEmpty() ? null : 'now'
    },
  })
  return {
    count(refusal) {
      const isFirst = tally.isEmpty()
      tally.count(refusal)
      if (isFirst) timed.wake()
    },
    loop: {
      ...timed,
      async stop() {
        await timed.stop()
        await flush().catch((error: unknown) =>
          environment.logger.error({ err: error }, 'the last rejections are not in the audit'),
        )
      },
    },
  }
}

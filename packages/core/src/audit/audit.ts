import { z } from 'zod'
import type { Environment, InTransaction, Instant } from '../environment/index.js'
import { parseInput, TaskboardError, wholeNumber } from '../errors/index.js'
import { auditActionNames, type AuditAction, type AuditRecord } from './audit-record.js'
import type { AuditStore } from './audit-store.js'

export interface AuditFilter {
  /** Only these actions. Default: all. */
  readonly actions?: readonly AuditAction[] | null | undefined
  /** Only what this user, key or person of the host did. */
  readonly actorId?: string | null | undefined
  /** Only records at or after this time. */
  readonly from?: Instant | null | undefined
  /** Only records before this time. */
  readonly to?: Instant | null | undefined
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Who did what, from where. */
export interface Audit<Tx = unknown> {
  /**
   * The records of an account; with null, what belongs to none, such as wrong credentials.
   * @throws TaskboardError `INVALID_FIELD`.
   */
  list(accountId: string | null, filter?: AuditFilter, options?: InTransaction<Tx>): Promise<AuditPage>
}

const DEFAULT_PAGE = 100
const CURSOR = /^(\d{1,16})\.(aud_[0-9a-z]{1,60})$/
const time = z.number({ error: 'must be epoch milliseconds' }).nullish()

const filterInput = z.strictObject({
  actions: z
    .array(z.enum(auditActionNames, { error: `must be actions of the audit` }))
    .max(auditActionNames.length)
    .nullish(),
  actorId: z.string({ error: 'must be text' }).max(256, 'must have at most 256 characters').nullish(),
  from: time,
  to: time,
  limit: wholeNumber(1, 1_000).default(DEFAULT_PAGE),
  cursor: z.string({ error: 'must be text' }).nullish(),
})

/** The service behind `taskboard.audit` and `/v2/account/audit`. */
export function createAudit<Tx>(parts: {
  readonly environment: Environment
  readonly store: AuditStore<Tx>
}): Audit<Tx> {
  const { environment, store } = parts
  return {
    async list(accountId, filter = {}, options) {
      const {
        actions = null,
        actorId = null,
        from = null,
        to = null,
        limit,
        cursor,
      } = parseInput(filterInput, filter)
      const query = {
        accountId,
        actions,
        actorId,
        from,
        to,
        limit: limit + 1,
        after: parseCursor(cursor ?? null),
      }
      const found = await store.listAudit(query, environment.call(options))
      const records = found.slice(0, limit)
      const last = records.at(-1)
      return { records, nextCursor: found.length > limit && last ? `${last.at}.${last.id}` : null }
    },
  }
}

function parseCursor(cursor: string | null): { readonly at: Instant; readonly id: string } | null {
  if (cursor === null) return null
  const [, at, id] = CURSOR.exec(cursor) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw new TaskboardError('INVALID_FIELD', 'cursor must be the nextCursor of an earlier page', {
    field: 'cursor',
  })
}

import type { AuditRecord } from '../audit/index.js'
import type { CallContext } from '../environment/index.js'
import type { Storage } from '../storage/index.js'
import type { AuditNote } from './audit-note.js'
import { auditRules } from './audit-rules.js'
import { credentialsMade, type NewCredential } from './new-credentials.js'

type Verb = (input: unknown, call: CallContext) => Promise<unknown>
type RuleOfVerb = (input: unknown, result: unknown) => AuditNote | null
type CredentialOfVerb = (input: unknown, result: unknown) => NewCredential | null

const credentialOf = credentialsMade as Readonly<Record<string, CredentialOfVerb | undefined>>

/**
 * The same storage, whose verbs leave a record by their rule. Record and change are in one commit, so neither exists without the other.
 * `onRecord` is called after the commit, but not in a transaction that the host application has opened, which may still roll back.
 * `onCredential` is called before the commit, for each key and user that is made; an error that it throws rolls back.
 */
export function auditedStorage<Tx>(
  storage: Storage<Tx>,
  onRecord: (record: AuditRecord) => void,
  onCredential?: (made: NewCredential) => void | Promise<void>,
): Storage<Tx> {
  /** What was recorded in open transactions of the storage, by their handles. */
  const pending = new WeakMap<object, AuditRecord[]>()

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const records: AuditRecord[] = []
    const value = await storage.transaction((tx) => {
      pending.set(tx as object, records)
      return work(tx)
    })
    for (const record of records) onRecord(record)
    return value
  }

  const audited = (name: string, verb: Verb, rule: RuleOfVerb): Verb => {
    const made = onCredential && credentialOf[name]
    return async (input, call) => {
      const [result, record] = await storage.inOneCommit(call as CallContext<Tx>, async (own) => {
        const done = await verb(input, own)
        const credential = made?.(input, done) ?? null
        if (credential !== null) await onCredential?.(credential)
        const note = rule(input, done)
        if (note === null) return [done, undefined]
        const { by, details = {}, ...given } = note
        const actor = by === undefined ? own : { ...own, by: { ...own.by, ...by } }
        const [appended] = await storage.audit.appendAudit([{ ...given, details, count: 1 }], actor)
        return [done, appended]
      })
      if (record === undefined) return result
      if (call.tx === undefined) onRecord(record)
      else pending.get(call.tx as object)?.push(record)
      return result
    }
  }

  const stores = Object.entries(auditRules).map(([name, rules]) => {
    const given = storage[name as keyof Storage<Tx>]
    if (typeof rules === 'string') return [name, given] as const
    const store = given as unknown as Readonly<Record<string, Verb>>
    const verbs = Object.entries(rules).map(([verb, rule]: [string, RuleOfVerb | string]) => {
      const plain: Verb = (input, call) => (store[verb] as Verb).call(store, input, call)
      return [verb, typeof rule === 'string' ? plain : audited(verb, plain, rule)] as const
    })
    return [name, Object.fromEntries(verbs)] as const
  })

  // Member by member: a storage may be of a class.
  return {
    ...(Object.fromEntries(stores) as unknown as Pick<Storage<Tx>, keyof typeof auditRules>),
    name: storage.name,
    durable: storage.durable,
    commitNotifications: storage.commitNotifications,
    bind: (settings) => storage.bind(settings),
    open: () => storage.open(),
    close: () => storage.close(),
    transaction,
    inOneCommit: (call, work) => storage.inOneCommit(call, work),
    saveIdempotentResponse: (kept, call) => storage.saveIdempotentResponse(kept, call),
    check: (asked, call) => storage.check(asked, call),
    keepKeyCheck: (check, call) => storage.keepKeyCheck(check, call),
    prune: (pruning, call) => storage.prune(pruning, call),
  }
}

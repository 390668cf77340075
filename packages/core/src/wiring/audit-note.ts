import type { AuditAction, AuditDetails, AuditOwner, AuditTargetKind } from '../audit/index.js'
import type { AuditActor } from '../environment/index.js'
import type { Storage } from '../storage/index.js'

/** What a rule records of a verb that has done its work. */
export interface AuditNote {
  readonly action: AuditAction
  readonly of: AuditOwner
  readonly target: { readonly kind: AuditTargetKind; readonly id: string }
  readonly details?: AuditDetails | undefined
  /** What the call does not know of its actor. */
  readonly by?: AuditActor | undefined
}

/** The record of a call: null for a call that made no change. Or a text: why the verb leaves no record. */
type Rule<Verb> = Verb extends (input: infer Input, call: never) => Promise<infer Result>
  ? ((input: Input, result: Result) => AuditNote | null) | string
  : string

/** The stores of a storage. */
type StoreName = Exclude<
  { readonly [Name in keyof Storage]: Storage[Name] extends object ? Name : never }[keyof Storage],
  VerbOfStorage
>
type VerbOfStorage = {
  readonly [Name in keyof Storage]: Storage[Name] extends (...given: never[]) => unknown ? Name : never
}[keyof Storage]

/** A rule for each verb of each store, or one reason for a store of which nothing is on record. */
export type AuditRules = {
  readonly [Name in StoreName]:
    | string
    | { readonly [Verb in keyof Storage[Name]]-?: Rule<Storage[Name][Verb]> }
}

import type { Scope } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import type { FieldCost } from '../limits/field-cost.js'

/** Returns a field's value. Without a resolver it is the source's member of that name. */
export type FieldResolver = (source: never, args: never, context: GraphqlContext) => unknown

/** The implementation of a field of the schema. */
export interface FieldPlan extends FieldCost {
  readonly resolve?: FieldResolver | undefined
  /** For a subscription: opens its stream of events. */
  readonly subscribe?: FieldResolver | undefined
  /** The scope that the field requires. Default: none. */
  readonly scope?: Scope | undefined
}

/** A part of the schema: its types in the schema language, and the implementations of its fields. */
export interface SchemaPart {
  readonly types: string
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldPlan | FieldResolver>>>>
}

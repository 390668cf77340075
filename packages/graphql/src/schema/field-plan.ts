import type { Scope } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'

/** Gives a field's value; without one it is the source's member of that name. */
export type FieldResolver = (source: never, args: never, context: GraphqlContext) => unknown

/** What a field adds to the cost of a document. */
export interface FieldCost {
  /** Its own cost. Default: 1 when it gives objects, else 0. */
  readonly weight?: number | undefined
  /** How many objects it may give: a number, or the name of the argument that says so. Default 1. */
  readonly size?: string | number | undefined
}

/** What stands behind a field of the schema. */
export interface FieldPlan extends FieldCost {
  readonly resolve?: FieldResolver | undefined
  /** Of a subscription: opens the stream of what it tells. */
  readonly subscribe?: FieldResolver | undefined
  /** The scope that the credential must have; without one any will do. */
  readonly scope?: Scope | undefined
}

/** A part of the schema: its types in the schema language, and what stands behind the fields that need it. */
export interface SchemaPart {
  readonly types: string
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldPlan | FieldResolver>>>>
}

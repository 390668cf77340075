/** What a field adds to the cost of a document. */
export interface FieldCost {
  /** Its own cost. Default: 1 when it returns objects, else 0. */
  readonly weight?: number | undefined
  /** How many objects it may return: a number, or the name of the argument that sets it. Default 1. */
  readonly size?: string | number | undefined
}

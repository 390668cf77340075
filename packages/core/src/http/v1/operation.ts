import type { Principal, Scope } from '../../access/index.js'
import type { Board } from '../../board/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { fieldNames, type FieldNames } from '../field-names.js'
import type { HttpRequest } from '../http.js'
import type { JsonObject } from '../json-body.js'
import type { Query } from '../query.js'

/** A request that has passed every check except the checks of its fields. */
export interface BoardCall {
  readonly services: TransportServices
  readonly principal: Principal
  readonly request: HttpRequest
  /** The board of the caller's default workspace. */
  readonly board: Board
  /** The values of its query. It has only the operation's `parameters`. */
  readonly query: Query['values']
  /** Empty for operations without a body. It has only the operation's `fields`, and all required ones. */
  readonly body: JsonObject
}

/** One operation of the board API. */
export interface BoardOperation {
  /** The methods in `Allow`. */
  readonly methods: readonly string[]
  readonly scope: Scope
  /** The names in its query, including `action`. */
  readonly parameters: FieldNames
  /** The names in its body; absent when it takes none. */
  readonly fields?: FieldNames
  /**
   * Throws for an invalid value of a body field. Called only for callers without the scope, because an invalid body is rejected
   * before a missing scope. For other callers `run` validates.
   */
  checkFields?(body: JsonObject): void
  /** Runs the operation and returns the text of a success, which always has the status 200. */
  run(call: BoardCall): Promise<string>
}

export const reading = {
  methods: ['GET', 'HEAD'],
  parameters: fieldNames({ optional: ['action', 'limit', 'cursor'] }),
} as const
export const writing = { methods: ['POST'], parameters: fieldNames({ optional: ['action'] }) } as const

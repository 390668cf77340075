import type { Principal, Scope } from '../../access/index.js'
import type { Board } from '../../board/index.js'
import type { Surface } from '../../surface.js'
import { fieldNames, type FieldNames } from '../field-names.js'
import type { HttpRequest } from '../http.js'
import type { JsonObject } from '../json-body.js'
import type { Query } from '../query.js'

/** A request that has passed every check but those of its own fields. */
export interface BoardCall {
  readonly surface: Surface
  readonly principal: Principal
  readonly request: HttpRequest
  /** The board of the caller's default workspace. */
  readonly board: Board
  /** The values of its query; it has no others than the operation's `parameters`. */
  readonly query: Query['values']
  /** Empty for operations that take no body; it has no others than the operation's `fields`, and all that are required. */
  readonly body: JsonObject
}

/** One thing that the board API does. */
export interface BoardOperation {
  /** What `Allow` lists. */
  readonly methods: readonly string[]
  readonly scope: Scope
  /** Of its query, `action` included. */
  readonly parameters: FieldNames
  /** Of its body; absent when it takes none. */
  readonly fields?: FieldNames
  /**
   * Throws what is wrong with what the body's fields hold. Called only for callers without the scope, since a faulty body is
   * refused before a missing scope; for all others `run` finds out.
   */
  checkFields?(body: JsonObject): void
  /** Does it and returns the finished text of a success, which is always answered with 200. */
  run(call: BoardCall): Promise<string>
}

export const reading = {
  methods: ['GET', 'HEAD'],
  parameters: fieldNames({ optional: ['action', 'limit', 'cursor'] }),
} as const
export const writing = { methods: ['POST'], parameters: fieldNames({ optional: ['action'] }) } as const

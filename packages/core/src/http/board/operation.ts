import type { Principal, Scope } from '../../access/index.js'
import type { Board } from '../../board/index.js'
import type { Surface } from '../../surface.js'
import type { HttpRequest } from '../http.js'
import type { JsonObject } from '../json-body.js'

/** A request that has passed every check but those of its own fields. */
export interface BoardCall {
  readonly surface: Surface
  readonly principal: Principal
  readonly request: HttpRequest
  /** The board of the caller's default workspace. */
  readonly board: Board
  /** Empty for operations that take no body. */
  readonly body: JsonObject
}

/** One thing that the board API does. */
export interface BoardOperation {
  /** What `Allow` lists. */
  readonly methods: readonly string[]
  readonly takesBody: boolean
  readonly scope: Scope
  /**
   * Throws what is wrong with the body's fields. Asked only about callers without the scope, since what is wrong with a body
   * is told before that; for all others `run` finds out.
   */
  checkFields?(body: JsonObject): void
  /** Does it and returns the finished text of a success, which is always answered with 200. */
  run(call: BoardCall): Promise<string>
}

export const reading = { methods: ['GET', 'HEAD'], takesBody: false } as const
export const writing = { methods: ['POST'], takesBody: true } as const

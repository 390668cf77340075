/**
 * What is used of a client of the board. The one that `createClient` of `@taskboard/client` makes is one. Core knows by which method a
 * client calls an operation.
 */
export interface BoardClient {
  readonly account: object
  readonly agents: object
  readonly approvals: object
  readonly tasks: object
  readonly realtime: {
    subscribe(channels: string): AsyncIterable<unknown>
  }
}

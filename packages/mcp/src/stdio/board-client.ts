/** A method of a client: the ids of the path, then the query or the body. */
type Method = (...args: never[]) => Promise<unknown>

/** What is used of a client of the board. The one that `createClient` of `@taskboard/client` makes is one. */
export interface BoardClient {
  readonly account: { readonly get: Method }
  readonly agents: { readonly list: Method }
  readonly approvals: { readonly get: Method; readonly list: Method }
  readonly tasks: Readonly<Record<TaskMethod, Method>> & { readonly approvals: { readonly request: Method } }
  readonly realtime: {
    subscribe(channels: string): AsyncIterable<unknown>
  }
}

type TaskMethod =
  | 'answer'
  | 'cancel'
  | 'claim'
  | 'comment'
  | 'comments'
  | 'complete'
  | 'create'
  | 'createMany'
  | 'delegate'
  | 'fail'
  | 'get'
  | 'hold'
  | 'list'
  | 'log'
  | 'move'
  | 'output'
  | 'progress'
  | 'release'
  | 'update'
  | 'usage'

import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'

/** What a subscription receives, and how it ends. */
export interface Received {
  readonly results: readonly ToldResult[]
  /** Those of `workspaceEvents` or `taskEvents`, without the errors. */
  readonly events: readonly ToldEvent[]
  /** Resolves with what it ended with: null when it was completed. */
  readonly ended: Promise<unknown>
  stop(): void
  /** The first result that `isSo`, now or later; rejects when it ends before. */
  until(isSo: (event: ToldEvent) => boolean): Promise<ToldEvent>
}

export interface ToldResult {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
}

export interface ToldEvent {
  readonly __typename: string
  readonly workspaceId: string
  readonly seq: number
  readonly [field: string]: unknown
}

export interface SocketClient extends Client {
  /** The close code and reason of the connection. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  socket(): WebSocket
  /** Ends the connection without a close frame. */
  cut(): void
}

/** The client of graphql-ws, without reconnecting. */
export function connectClient(url: string, connectionParams: Record<string, unknown>): SocketClient {
  let socket: WebSocket | undefined
  let tellClosed: (event: { code: number; reason: string }) => void
  const closed = new Promise<{ code: number; reason: string }>((resolve) => (tellClosed = resolve))
  const keep = (made: WebSocket): void => {
    socket = made
    // The library learns of it from the close that follows.
    made.on('error', () => undefined)
  }
  class ClientSocket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols)
      keep(this)
    }
  }
  const client = createClient({
    url,
    webSocketImpl: ClientSocket,
    retryAttempts: 0,
    connectionParams,
    on: { closed: (event) => tellClosed(event as { code: number; reason: string }) },
  })
  return {
    ...client,
    closed,
    socket() {
      if (socket === undefined) throw new Error('not connected')
      return socket
    },
    cut: () => socket?.terminate(),
  }
}

export function bearer(key: string): Record<string, unknown> {
  return { authorization: `Bearer ${key}` }
}

/** Starts an operation, and keeps all that it receives. */
export function listen(client: Client, query: string, variables: Record<string, unknown> = {}): Received {
  const results: ToldResult[] = []
  const events: ToldEvent[] = []
  const waiting = new Set<() => void>()
  let hasEnded = false
  const wakeAll = (): void => waiting.forEach((wake) => wake())
  let tellEnded: (cause: unknown) => void
  const ended = new Promise<unknown>((resolve) => (tellEnded = resolve))
  const end = (cause: unknown): void => {
    hasEnded = true
    tellEnded(cause)
    wakeAll()
  }
  const stop = client.subscribe(
    { query, variables },
    {
      next(result) {
        results.push(result as ToldResult)
        const event = Object.values(result.data ?? {})[0]
        if (typeof event === 'object' && event !== null) events.push(event as ToldEvent)
        wakeAll()
      },
      error: end,
      complete: () => end(null),
    },
  )
  return {
    results,
    events,
    ended,
    stop,
    async until(isSo) {
      for (;;) {
        const found = events.find(isSo)
        if (found !== undefined) return found
        if (hasEnded) throw new Error(`it ended before: ${JSON.stringify(await ended)}`)
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
  }
}

/** All that happens in a workspace. */
export const WORKSPACE_EVENTS = /* GraphQL */ `
  subscription Follow($workspaceId: ID!, $since: Int, $types: [EventType!], $taskId: ID) {
    workspaceEvents(workspaceId: $workspaceId, since: $since, types: $types, taskId: $taskId) {
      __typename
      workspaceId
      seq
      ... on EventGap {
        firstSeq
      }
      ... on TaskEvent {
        type
        timestamp
        taskId
        title
        progress
        byAgentId
        fromColumn
        toColumn
        result
        reason
        message
        task {
          id
          title
          column
          progress
          agent {
            name
          }
        }
      }
      ... on AgentEvent {
        type
        agentId
        status
        agent {
          name
          currentWorkload
        }
      }
    }
  }
`

/** The `seq`s of task events of all workspaces. */
export const TASK_EVENTS = /* GraphQL */ `
  subscription FollowAll($since: [WorkspacePlace!], $types: [EventType!]) {
    taskEvents(since: $since, types: $types) {
      __typename
      workspaceId
      seq
      ... on TaskEvent {
        type
      }
    }
  }
`

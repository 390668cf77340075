import { TaskboardApiError, type TaskboardErrorCode } from '../api-error.js'

interface EndDetails {
  readonly code: TaskboardErrorCode
  readonly closeCode?: number | null
  readonly channel?: string | null
  readonly requestId?: string | null | undefined
}

/**
 * Why a subscription closed permanently, or a connection for now. Its `code` is the server's, `CLOSED` without one, or `NO_WEBSOCKET`; its
 * `status` is 0.
 * @example
 * ```ts
 * import { createClient, TaskboardRealtimeError } from '@taskboard/client'
 *
 * const client = createClient({ baseUrl: 'https://app.example', key: 'tb_…' })
 *
 * async function follow(workspaceId: string) {
 *   try {
 *     for await (const { type } of client.realtime.subscribe([`workspace.${workspaceId}`])) console.log(type)
 *   } catch (error) {
 *     if (error instanceof TaskboardRealtimeError) console.log(error.code, error.closeCode, error.channel)
 *   }
 * }
 * ```
 */
export class TaskboardRealtimeError extends TaskboardApiError {
  override readonly name = 'TaskboardRealtimeError'
  /** The code of the close frame; 1006 without one, null when the connection stays. */
  readonly closeCode: number | null
  /** The channel that was rejected; null when it is the connection. */
  readonly channel: string | null

  constructor(message: string, { code, closeCode = null, channel = null, requestId = null }: EndDetails) {
    super(message, { status: 0, code, requestId })
    this.closeCode = closeCode
    this.channel = channel
  }
}

import type { BoundSettings } from '@taskboard/core/storage'

/** Finds out whether notifications arrive on a connection that listens. */
export interface ListeningCheck {
  /** Resolves when one is sent; warns when it then doesn't arrive in time. A failure to send proves nothing about the connection. */
  begin(): Promise<void>
  /** To be called when it has arrived. */
  heard(): void
  /** Leaves no timer. */
  stop(): void
}

export interface ListeningCheckParts {
  readonly settings: Pick<BoundSettings, 'current'>
  /** Sends the notification from another connection: one that a pooler has switched would hear itself. */
  readonly send: () => Promise<unknown>
  /** Waits for an answer on the connection that listens; what has arrived on it is read before. False: it is lost. */
  readonly catchUp: () => Promise<boolean>
}

const LONGEST_WAY_MS = 1_000

export function createListeningCheck({ settings, send, catchUp }: ListeningCheckParts): ListeningCheck {
  /** What is waited for; null when nothing is. */
  let awaited: object | null = null
  let timer: { cancel(): void } | undefined

  function tracked(work: () => Promise<unknown>): Promise<unknown> {
    const { clock } = settings.current
    return clock.track ? clock.track('listening check', work) : work()
  }

  function stop(): void {
    awaited = null
    timer?.cancel()
  }

  async function late(check: object): Promise<void> {
    const isConnected = await catchUp().catch(() => false)
    if (awaited !== check) return
    awaited = null
    if (!isConnected) return
    settings.current.logger.warn(
      { option: 'listen' },
      'no notification arrives on the listening connection, so commits of other processes are found only by polling. Behind a pooler in transaction mode, set listen of postgresStorage to false or to a pool with direct connections',
    )
  }

  return {
    stop,
    heard: stop,
    async begin() {
      stop()
      const check = {}
      awaited = check
      const isSent = await tracked(send).then(
        () => true,
        () => false,
      )
      if (isSent && awaited === check) {
        timer = settings.current.clock.setTimer(() => void tracked(() => late(check)), LONGEST_WAY_MS)
      }
    },
  }
}

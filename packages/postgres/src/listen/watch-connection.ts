import type { BoundSettings } from '@taskboard/core/storage'
import type { ListeningConnection } from './listening-connection.js'

/** Routers drop connections that are silent for some minutes, and notify neither end. */
const CHECK_INTERVAL_MS = 60_000

/**
 * Sends a query from time to time, and drops the connection when the previous one has no answer at the next: it never gets one.
 * Returns a function that stops the checks.
 */
export function watchConnection(
  settings: Pick<BoundSettings, 'current'>,
  connection: ListeningConnection,
): () => void {
  let timer: { cancel(): void } | undefined

  function wait(callback: () => void): void {
    timer = settings.current.clock.setTimer(callback, CHECK_INTERVAL_MS)
  }

  function ask(): void {
    let isAnswered = false
    wait(() => {
      if (isAnswered) ask()
      else connection.drop(new Error('the connection does not answer'))
    })
    const question = async (): Promise<void> => {
      try {
        await connection.query({ text: 'select 1', values: [] })
        isAnswered = true
      } catch (error) {
        connection.drop(error instanceof Error ? error : new Error(String(error)))
      }
    }
    const { clock } = settings.current
    void (clock.track ? clock.track('listening connection', question) : question())
  }

  wait(ask)
  return () => timer?.cancel()
}

import { setImmediate } from 'node:timers'

/** As it was when this was loaded: a host's tests may put a clock of their own in its place, and answers do not wait for that. */
const afterReads = setImmediate
let turn: Promise<void> | null = null

/**
 * Resolves once all requests that the event loop has read by now are worked on, for all of them together: their answers are then
 * written one right after the other. A client, or a proxy, that is woken for each answer alone costs this process the waking,
 * which is more than the answer itself; woken once, it finds the others on its way. An answer waits for the handling of those
 * that arrived with it, never for anything that is yet to arrive.
 */
export function turnToAnswer(): Promise<void> {
  turn ??= new Promise((resolve) => {
    afterReads(() => {
      turn = null
      resolve()
    })
  })
  return turn
}

import { setMaxListeners } from 'node:events'

/** An abort controller for many listeners: its signal accepts more than Node's warning about leaks allows. */
export function createSharedAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

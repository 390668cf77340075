import { setMaxListeners } from 'node:events'

/** An abort controller that ends many things at once: more may listen to its signal than Node would take for a leak. */
export function createSharedAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** The same transport, with a look at what comes in and at its end. */
export function observedTransport(
  inner: Transport,
  watch: { readonly received: (message: JSONRPCMessage) => void; readonly closed: () => void },
): Transport {
  const outer: Transport = {
    async start() {
      const listeners: Pick<Transport, 'onmessage' | 'onclose' | 'onerror'> = {
        onmessage(message, extra) {
          watch.received(message)
          outer.onmessage?.(message, extra)
        },
        onclose() {
          watch.closed()
          outer.onclose?.()
        },
        onerror: (error) => outer.onerror?.(error),
      }
      Object.assign(inner, listeners)
      await inner.start()
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  }
  return outer
}

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** The same transport, with a look at what comes in and at its end. */
export function observedTransport(
  inner: Transport,
  { received, closed }: { received(message: JSONRPCMessage): void; closed(): void },
): Transport {
  const outer: Transport = {
    async start() {
      inner.onmessage = (message, extra) => {
        received(message)
        outer.onmessage?.(message, extra)
      }
      inner.onclose = () => {
        closed()
        outer.onclose?.()
      }
      inner.onerror = (error) => outer.onerror?.(error)
      await inner.start()
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  }
  return outer
}

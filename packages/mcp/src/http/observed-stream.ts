/** The same stream, with calls for each chunk that its reader takes, and for its end by either side. */
export function observedStream(
  source: ReadableStream<Uint8Array>,
  { read, ended }: { readonly read: () => void; readonly ended: () => void },
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) {
          ended()
          return controller.close()
        }
        read()
        controller.enqueue(value)
      },
      async cancel(reason) {
        ended()
        await reader.cancel(reason)
      },
    },
    // Takes nothing before it is asked.
    { highWaterMark: 0 },
  )
}

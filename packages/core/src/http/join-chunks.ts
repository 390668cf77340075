/** Joins chunks of `total` bytes; returns a single one unchanged. */
export function joinChunks(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(total)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

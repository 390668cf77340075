/** The lines of a stream, without their ends. Only a line feed ends one: JSON may contain other separators. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer | string>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest: string[] = []
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const parts = text.split('\n')
    if (parts.length === 1) {
      rest.push(text)
      continue
    }
    yield withoutReturn(rest.join('') + (parts[0] ?? ''))
    for (const line of parts.slice(1, -1)) yield withoutReturn(line)
    rest = [parts.at(-1) ?? '']
  }
  const last = rest.join('') + decoder.decode()
  if (last !== '') yield withoutReturn(last)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/**
 * The lines of a stream, without their ends. Only a line feed ends one: JSON may contain other separators. Of a line that is much longer
 * than `longest`, the end is left out.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer | string>,
  longest = Infinity,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest: string[] = []
  let length = 0
  const keep = (text: string): void => {
    if (length < longest) rest.push(text)
    length += text.length
  }
  for await (const chunk of chunks) {
    const [first = '', ...others] = (
      typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    ).split('\n')
    keep(first)
    for (const part of others) {
      yield withoutReturn(rest.join(''))
      rest = []
      length = 0
      keep(part)
    }
  }
  keep(decoder.decode())
  const last = rest.join('')
  if (last !== '') yield withoutReturn(last)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

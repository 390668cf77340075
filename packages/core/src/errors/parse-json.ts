import { TaskboardError } from './taskboard-error.js'

/** Far more than any request needs: the metadata of a task in GraphQL variables is six levels deep. */
const DEEPEST = 32
const MOST_VALUES = 20_000

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/**
 * Parses untrusted JSON. Text with more than 32 levels, or more than 20,000 entries and members, is rejected before it is parsed. A
 * megabyte of brackets takes a parser a hundred times as long as one of text, and its garbage takes more than that.
 * @throws TaskboardError `INVALID_JSON`. `what` names the text in its message: `the body`.
 */
export function parseJson(text: string, what: string): unknown {
  const fault = shapeFault(text)
  if (fault !== null) throw new TaskboardError('INVALID_JSON', `${what} ${fault}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TaskboardError('INVALID_JSON', `${what} must be JSON`, { cause: error })
  }
}

function shapeFault(text: string): string | null {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index + 1)
        break
      case 0x5b:
      case 0x7b:
        depth += 1
        if (depth > DEEPEST) return `must not nest more than ${DEEPEST} levels deep`
        break
      case 0x5d:
      case 0x7d:
        depth -= 1
        break
      case COMMA:
        values += 1
        if (values > MOST_VALUES) return `must have at most ${MOST_VALUES} entries and members`
        break
      default:
    }
  }
  return null
}

/** The index where the string that begins at `index` ends: its closing quotation mark, or the end of the text. */
function endOfString(text: string, start: number): number {
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) return index
    index += code === BACKSLASH ? 2 : 1
  }
  return index
}

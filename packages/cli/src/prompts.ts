import type { Readable } from 'node:stream'
import { CliError } from './cli-error.js'
import { splitLines } from './lines.js'
import type { TextStream } from './output/text-stream.js'

/** The part of a terminal's input that prompts use. */
export interface PromptStream {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** Questions to the person, or lines of standard input when that is no terminal. */
export interface Prompts {
  ask(question: string): Promise<string>
  /** What is typed is not shown. */
  askSecret(question: string): Promise<string>
}

const END = '\u0004'
const INTERRUPT = '\u0003'
const ERASE = ['\u0008', '\u007F']

export function createPrompts(stdin: Readable & PromptStream, stderr: TextStream): Prompts {
  let lines: AsyncIterator<string> | undefined

  async function nextLine(question: string): Promise<string> {
    lines ??= splitLines(stdin)
    const { done, value } = await lines.next()
    if (done === true) throw new CliError('usage', `standard input has no line for: ${question}`)
    return value.trim()
  }

  async function ask(question: string): Promise<string> {
    if (stdin.isTTY !== true) return nextLine(question)
    stderr.write(`${question}: `)
    return typed(stdin, (text) => stderr.write(text))
  }

  async function askSecret(question: string): Promise<string> {
    if (stdin.isTTY !== true) return nextLine(question)
    stderr.write(`${question}: `)
    return typed(stdin, (text) => text === '\n' && stderr.write(text))
  }

  return { ask, askSecret }
}

/** A line from the keyboard. `echo` gets what to show of it. */
function typed(stdin: Readable & PromptStream, echo: (text: string) => unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (settle: () => void): void => {
      stdin.off('data', read)
      stdin.setRawMode?.(false)
      stdin.pause()
      echo('\n')
      settle()
    }
    const read = (chunk: Buffer | string): void => {
      for (const character of chunk.toString()) {
        if (character === '\r' || character === '\n') return end(() => resolve(text.trim()))
        if (character === INTERRUPT || character === END) {
          return end(() => reject(new CliError('interrupted', 'interrupted')))
        }
        if (ERASE.includes(character)) {
          if (text !== '') echo('\b \b')
          text = text.slice(0, -1)
        } else if (character >= ' ') {
          text += character
          echo(character)
        }
      }
    }
    stdin.setRawMode?.(true)
    stdin.on('data', read)
    stdin.resume()
  })
}

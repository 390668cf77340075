import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { CliError } from './cli-error.js'
import { splitLines } from './lines.js'
import type { TextStream } from './output/text-stream.js'

/** The part of a terminal's input that prompts use. */
export interface PromptStream {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** Questions to the person, or lines of standard input when that isn't a terminal. */
export interface Prompts {
  /** Whether a person reads the questions, and types the answers. */
  readonly isTerminal: boolean
  ask(question: string): Promise<string>
  /** What is typed isn't shown. */
  askSecret(question: string): Promise<string>
}

const END = '\u0004'
const INTERRUPT = '\u0003'
const ERASE_ALL = '\u0015'
const ERASE = new Set(['\u0008', '\u007F'])
/** What keys such as the arrows send. */
const KEY_SEQUENCES = new RegExp(String.raw`\u001B(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[ -~]?)`, 'g')

export function createPrompts(stdin: Readable & PromptStream, stderr: TextStream): Prompts {
  let lines: AsyncIterator<string> | undefined
  const keyboard = createKeyboard(stdin)

  async function nextLine(question: string): Promise<string> {
    lines ??= splitLines(stdin)
    const { done, value } = await lines.next()
    if (done === true) throw new CliError('usage', `standard input has no line for: ${question}`)
    return value.trim()
  }

  async function ask(question: string): Promise<string> {
    if (stdin.isTTY !== true) return nextLine(question)
    return keyboard(
      () => stderr.write(`${question}: `),
      (text) => stderr.write(text),
    )
  }

  async function askSecret(question: string): Promise<string> {
    if (stdin.isTTY !== true) return nextLine(question)
    return keyboard(
      () => stderr.write(`${question}: `),
      (text) => text === '\n' && stderr.write(text),
    )
  }

  return { isTerminal: stdin.isTTY === true && stderr.isTTY === true, ask, askSecret }
}

/** Reads a line from the keyboard at each call. `echo` gets what to show of it. */
function createKeyboard(
  stdin: Readable & PromptStream,
): (ask: () => unknown, echo: (text: string) => unknown) => Promise<string> {
  const decoder = new StringDecoder('utf8')
  /** Several lines can be pasted at the same time: those that follow are for the next questions. */
  let pasted = ''

  return (ask, echo) =>
    new Promise((resolve, reject) => {
      let typed: readonly string[] = []
      const leave = (settle: () => void): void => {
        stdin.off('data', onData)
        stdin.off('end', onEnd)
        stdin.setRawMode?.(false)
        stdin.pause()
        echo('\n')
        settle()
      }
      const onEnd = (): void => leave(() => reject(new CliError('interrupted', 'the terminal was closed')))
      const erase = (count: number): void => {
        echo('\b \b'.repeat(Math.min(count, typed.length)))
        typed = typed.slice(0, Math.max(0, typed.length - count))
      }
      const read = (text: string): void => {
        const characters = Array.from(text.replaceAll(KEY_SEQUENCES, ''))
        for (const [index, character] of characters.entries()) {
          if (character === '\r' || character === '\n') {
            pasted = characters.slice(index + 1).join('')
            return leave(() => resolve(typed.join('').trim()))
          }
          if (character === INTERRUPT || character === END) {
            return leave(() => reject(new CliError('interrupted', 'interrupted')))
          }
          if (ERASE.has(character)) erase(1)
          else if (character === ERASE_ALL) erase(typed.length)
          else if (character >= ' ') {
            typed = [...typed, character]
            echo(character)
          }
        }
      }
      const onData = (chunk: Buffer | string): void =>
        read(typeof chunk === 'string' ? chunk : decoder.write(chunk))
      // Before anything is asked, or the terminal itself would show the beginning of the answer.
      stdin.setRawMode?.(true)
      ask()
      stdin.on('data', onData)
      stdin.on('end', onEnd)
      const earlier = pasted
      pasted = ''
      stdin.resume()
      if (earlier !== '') read(earlier)
    })
}

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../texts/index.js'

const words = text.task.approval

const escaped = (characters: string): string =>
  [...Array(characters.length).keys()]
    .map((index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

/** Characters that are invisible, look like a plain space, or change the direction. */
const unseen = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** A text of one line, in which nothing is invisible. */
export const seen = (written: string): string => written.replaceAll(unseen, escaped)

/** JSON as a person reads it. Invisible characters are escaped, so that people approve exactly the input that they see. */
export function prettyJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) as string | undefined
  return seen(json ?? '')
}

/** Beyond it, only the JSON is shown. */
const MOST_PARTS = 400
/** As the lists of a text's lines that are longer. */
const LONG_TEXT = 60

function countParts(value: unknown): number {
  if (typeof value === 'string') return 1 + (value.match(unseen)?.length ?? 0)
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + countParts(member), 1)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Whether a text would be taken for something else without quotation marks, such as the text `true`. */
function isAmbiguous(written: string): boolean {
  return written.trim() !== written || /^$|^["[{]|^(?:true|false|null|-?[\d.]+(?:e[+-]?\d+)?)$/i.test(written)
}

function WrittenText({ children: written }: { readonly children: string }) {
  const isLong = written.includes('\n') || written.length > LONG_TEXT
  if (!isLong && isAmbiguous(written)) return <span class="input-word">{prettyJson(written)}</span>
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: found, index } of written.matchAll(unseen)) {
    parts.push(written.slice(end, index), <mark>{escaped(found)}</mark>)
    end = index + found.length
  }
  parts.push(written.slice(end))
  return <span class={isLong ? 'input-text' : 'input-word'}>{parts}</span>
}

/** One value of an input, with those in it: names with their values, lists, texts with their lines. */
function Value({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <WrittenText>{value}</WrittenText>
  if (typeof value !== 'object' || value === null) return <code>{String(value)}</code>
  if (Object.keys(value).length === 0) return <code>{JSON.stringify(value)}</code>
  if (!Array.isArray(value)) {
    return (
      <dl class="input-fields">
        {Object.entries(value).map(([name, member]) => (
          <div key={name}>
            <dt>{seen(name)}</dt>
            <dd>
              <Value value={member} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return (
    <>
      <span class="input-count">{words.values(value.length)}</span>
      <ol class={value.every(isPlain) ? 'input-values' : 'input-items'}>
        {value.map((member: unknown, index) => (
          <li key={index}>
            <Value value={member} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** How many lines of a box aren't shown. */
function hiddenLines(box: HTMLElement): number {
  const lineHeight = Number.parseFloat(getComputedStyle(box).lineHeight)
  return Math.ceil(
    (box.scrollHeight - box.clientHeight - 1) / (Number.isFinite(lineHeight) ? lineHeight : 20),
  )
}

/** A few lines more are shown without a button. */
const FEW_LINES = 4

interface ApprovalInputProps {
  /** In short, as people compare it with the command line or a notification. */
  readonly digest: string
  readonly input: unknown
  /** Whether all of it can be seen. */
  readonly isWhole: boolean
  readonly onWhole: (isWhole: boolean) => void
}

/** What an action works on. A long one ends with a button that says how much more there is. */
export function ApprovalInput({ input, digest, isWhole, onWhole }: ApprovalInputProps) {
  const [isMany] = useState(() => countParts(input) > MOST_PARTS)
  const [isJson, setJson] = useState(isMany)
  const [isOpen, setOpen] = useState(false)
  const [hidden, setHidden] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    if (isOpen) {
      onWhole(true)
      return undefined
    }
    const look = (): void => {
      const lines = hiddenLines(element)
      if (lines > 0 && lines <= FEW_LINES) setOpen(true)
      setHidden(Math.max(0, lines))
      onWhole(lines <= 0)
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [isOpen, isJson])
  const isCut = !isOpen && !isWhole
  return (
    <>
      <div class="input-head">
        <p class="prop-label">{words.inputOf(digest)}</p>
        {!isMany && (
          <button
            type="button"
            class="button button-small"
            aria-pressed={isJson}
            onClick={() => {
              setJson(!isJson)
              setOpen(true)
            }}
          >
            {words.json}
          </button>
        )}
      </div>
      <div
        ref={box}
        class={`input ${isOpen ? '' : 'input-short'} ${isCut ? 'input-cut' : ''}`}
        role="group"
        aria-label={words.input}
      >
        {isJson ? <pre class="exact">{prettyJson(input)}</pre> : <Value value={input} />}
      </div>
      {isCut && (
        <button type="button" class="button input-more" data-show-rest onClick={() => setOpen(true)}>
          {words.more(hidden)}
        </button>
      )}
    </>
  )
}

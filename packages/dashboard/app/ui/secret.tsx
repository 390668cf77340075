import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { announce } from '../state/notices.js'
import { text } from '../texts/index.js'

const COPIED_MS = 3_000

/** Selects what an element shows, for browsers and connections without a clipboard. */
function select(element: Element | null): void {
  if (element !== null) getSelection()?.selectAllChildren(element)
}

/** Copies a text. */
export function CopyButton({ value, fallback }: { readonly value: string; readonly fallback?: () => void }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      announce(text.actions.copied)
    } catch {
      fallback?.()
    }
  }
  return (
    <button type="button" class="button button-small" onClick={() => void copy()}>
      {isCopied ? text.actions.copied : text.actions.copy}
    </button>
  )
}

/** A secret that the server shows only once. It takes the focus, and stays until the person is done with it. */
export function SecretOnce({
  title,
  note,
  value,
  done,
  onDone,
}: {
  readonly title: string
  readonly note: string
  readonly value: string
  readonly done: string
  readonly onDone: () => void
}) {
  const section = useRef<HTMLElement>(null)
  const code = useRef<HTMLElement>(null)
  const titleId = useId()
  useEffect(() => {
    section.current?.focus()
  }, [])
  return (
    <section ref={section} class="panel panel-secret" tabIndex={-1} aria-labelledby={titleId}>
      <h3 id={titleId}>{title}</h3>
      <p>{note}</p>
      <div class="secret">
        <code ref={code} tabIndex={0}>
          {value}
        </code>
        <CopyButton value={value} fallback={() => select(code.current)} />
      </div>
      <div>
        <button type="button" class="button" onClick={onDone}>
          {done}
        </button>
      </div>
    </section>
  )
}

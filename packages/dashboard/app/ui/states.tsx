import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain, type Failure } from '../state/failure.js'
import { text } from '../texts/index.js'

/** The content of an empty list: its purpose, and the next step. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Why a part of a page couldn't be read. */
export function Failed({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">{failure.message}</p>
      {failure.requestId !== null && <p class="quiet">{text.errors.request(failure.requestId)}</p>}
      <button type="button" class="button" onClick={onRetry}>
        {text.actions.retry}
      </button>
    </div>
  )
}

export function Loading() {
  return (
    <p class="loading" role="status">
      {text.loading}
    </p>
  )
}

/** The response to a request; `reload` sends it again, and keeps the old response until then. */
export interface Loaded<Value> {
  readonly value: Value | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  readonly reload: () => void
  /** Takes in a newer value, such as the response of a write. */
  put(value: Value): void
  /** Takes in a change of the value that is there. */
  change(by: (value: Value) => Value): void
}

/** Reads something when a page is shown, and again when one of `inputs` changes. The latest request wins. */
export function useLoaded<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload' | 'put' | 'change'>>({
    value: null,
    failure: null,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const lastInputs = useRef(inputs)
  useEffect(() => {
    const abort = new AbortController()
    const isOther = lastInputs.current.some((input, index) => input !== inputs[index])
    lastInputs.current = inputs
    setState((before) => ({ ...(isOther ? { value: null } : before), failure: null, isLoading: true }))
    read(abort.signal).then(
      (value) => abort.signal.aborted || setState({ value, failure: null, isLoading: false }),
      (error: unknown) =>
        abort.signal.aborted ||
        setState((before) => ({ ...before, failure: explain(error), isLoading: false })),
    )
    return () => abort.abort()
  }, [...inputs, round])
  return {
    ...state,
    reload: () => setRound((before) => before + 1),
    put: (value) => setState({ value, failure: null, isLoading: false }),
    change: (by) =>
      setState((before) => (before.value === null ? before : { ...before, value: by(before.value) })),
  }
}

/** Shows what was loaded, or that it is being loaded, or why it failed. */
export function Show<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  if (loaded.value !== null) return <>{children(loaded.value)}</>
  if (loaded.failure !== null) return <Failed failure={loaded.failure} onRetry={loaded.reload} />
  return <Loading />
}

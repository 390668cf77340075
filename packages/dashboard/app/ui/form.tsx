import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { explain, type Failure } from '../state/failure.js'
import { text } from '../texts/index.js'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  /** Why the value is wrong. */
  readonly error?: string | null | undefined
  readonly children: (ids: {
    readonly id: string
    readonly describedBy: string | undefined
    readonly invalid: boolean
  }) => ComponentChildren
}

/** A labeled input with its hint and its error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const hasError = error !== null && error !== undefined
  const notes = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(
    (note) => note !== false,
  )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, describedBy: notes.length > 0 ? notes.join(' ') : undefined, invalid: hasError })}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
      {hasError && (
        <small id={`${id}-error`} class="field-error" role="alert">
          {error}
        </small>
      )}
    </div>
  )
}

/** The attributes of an `<input>` that the forms use. */
interface InputAttributes {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search'
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly disabled?: boolean
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'url'
  readonly list?: string
  readonly max?: number | string
  readonly maxLength?: number
  readonly min?: number | string
  readonly pattern?: string
  readonly placeholder?: string
  readonly readOnly?: boolean
  readonly required?: boolean
  readonly spellcheck?: boolean
  readonly step?: number | 'any'
}

type InputProps = InputAttributes & {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | null | undefined
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A one-line input. */
export function TextInput({ label, hint, error, value, onValue, ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <input
          {...(rest as JSX.IntrinsicElements['input'])}
          id={id}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

type AreaProps = Omit<JSX.IntrinsicElements['textarea'], 'value' | 'onInput' | 'label'> &
  Pick<InputProps, 'label' | 'hint' | 'error' | 'value' | 'onValue'>

/** An input of several lines. */
export function TextArea({ label, hint, error, value, onValue, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <textarea
          rows={4}
          {...rest}
          id={id}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** A choice. `options` are pairs of a value and its text. */
export function Select<Value extends string>({
  label,
  hint,
  error,
  value,
  options,
  onValue,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | null | undefined
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onValue: (value: Value) => void
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map(([one, shown]) => (
            <option key={one} value={one}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A form's state: `submit` runs one request at a time, and keeps why it failed. */
export function useSubmit() {
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  // Two clicks can come before the form was drawn again.
  const isRunning = useRef(false)
  const submit = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isRunning.current) return false
    isRunning.current = true
    setBusy(true)
    setFailure(null)
    try {
      await work()
      return true
    } catch (error) {
      setFailure(explain(error))
      return false
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  /** The error of one field; errors of hidden fields stand at the end of the form. */
  const errorOf = (field: string) => (failure?.field === field ? failure.message : null)
  return { failure, isBusy, submit, errorOf, clear: () => setFailure(null) }
}

/**
 * What a form holds. `field` binds an input to a member of the draft, and to the field of the request that it becomes. The error of that
 * field stands at the input.
 */
export function useForm<Draft extends object>(start: Draft | (() => Draft)) {
  const [draft, setDraft] = useState<Draft>(start)
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const fields = new Set<string>()
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  function field<Name extends keyof Draft & string>(name: Name, onWire: string = name) {
    fields.add(onWire)
    return {
      value: draft[name],
      error: errorOf(onWire),
      onValue: (value: Draft[Name]) => set({ [name]: value } as unknown as Partial<Draft>),
    }
  }
  return { draft, set, field, fields, failure, isBusy, submit }
}

/** A form, whatever it holds. */
export type Form = Pick<ReturnType<typeof useForm>, 'fields' | 'failure' | 'isBusy' | 'submit'>

/** Why a form was rejected, unless one of the `fields` says it. */
export function FormError({
  failure,
  fields = [],
}: {
  readonly failure: Failure | null
  readonly fields?: Iterable<string>
}) {
  if (failure === null || [...fields].some((field) => field === failure.field)) return null
  return (
    <p class="form-error" role="alert">
      {failure.message}
      {failure.requestId !== null && <small> {text.errors.request(failure.requestId)}</small>}
    </p>
  )
}

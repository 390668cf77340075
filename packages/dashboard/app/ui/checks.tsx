import { useId } from 'preact/hooks'

/** A choice of several. `options` are pairs of a value and its text. */
export function CheckList<Value extends string>({
  label,
  options,
  value,
  error,
  onValue,
}: {
  readonly label: string
  readonly options: readonly (readonly [Value, string])[]
  readonly value: readonly Value[]
  readonly error?: string | null | undefined
  readonly onValue: (value: readonly Value[]) => void
}) {
  const errorId = useId()
  const hasError = error !== null && error !== undefined
  return (
    <fieldset class="checks" aria-describedby={hasError ? errorId : undefined}>
      <legend>{label}</legend>
      {options.map(([one, shown]) => (
        <label key={one} class="check">
          <input
            type="checkbox"
            checked={value.includes(one)}
            onChange={(event) =>
              onValue(event.currentTarget.checked ? [...value, one] : value.filter((other) => other !== one))
            }
          />
          <span>{shown}</span>
        </label>
      ))}
      {hasError && (
        <small id={errorId} class="field-error" role="alert">
          {error}
        </small>
      )}
    </fieldset>
  )
}

/** A choice of yes or no. */
export function Check({
  label,
  checked,
  onValue,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onValue: (checked: boolean) => void
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onValue(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

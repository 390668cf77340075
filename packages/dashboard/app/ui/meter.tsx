/** How much of a limit is used, as a bar next to its numbers. */
export function Meter({
  used,
  limit,
  label,
}: {
  readonly used: number
  readonly limit: number
  readonly label: string
}) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1
  const tone = share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine'
  return (
    <span
      class={`meter meter-${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={label}
    >
      <span style={{ inlineSize: `${share * 100}%` }} />
    </span>
  )
}

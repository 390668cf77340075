/** Placeholder. */
export function AnalyticsPage() {
  return <div>{null}</div>
}

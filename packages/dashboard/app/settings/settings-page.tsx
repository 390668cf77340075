/** Placeholder. */
export function SettingsPage() {
  return <div>{null}</div>
}

/** Placeholder. */
export function InboxPage() {
  return <div>{null}</div>
}

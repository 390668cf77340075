/** Placeholder. */
export function AgentsPage() {
  return <div>{null}</div>
}

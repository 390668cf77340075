/** Placeholder. */
export function TaskPage({ id }: { readonly id: string }) {
  return <div>{id}</div>
}

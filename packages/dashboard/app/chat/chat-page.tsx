/** Placeholder. */
export function ChatPage() {
  return <div>{null}</div>
}

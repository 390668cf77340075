import { connection } from '../state/live.js'
import { text } from '../texts/index.js'

/** Whether the board is live. */
export function ConnectionLine() {
  const state = connection.value
  return (
    <span
      class={`connection connection-${state === 'ended' ? 'offline' : state}`}
      role="status"
      title={state === 'offline' || state === 'ended' ? text.live[state] : undefined}
    >
      <span class="dot" aria-hidden="true" />
      {state === 'offline' || state === 'ended' ? 'Offline' : text.live[state]}
    </span>
  )
}

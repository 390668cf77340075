import { connection } from '../state/live.js'
import { text } from '../text.js'

/** Whether the board is live. */
export function ConnectionLine() {
  const state = connection.value
  return (
    <span
      class={`connection connection-${state}`}
      role="status"
      title={state === 'offline' ? text.live.offline : undefined}
    >
      <span class="dot" aria-hidden="true" />
      {state === 'offline' ? 'Offline' : text.live[state]}
    </span>
  )
}

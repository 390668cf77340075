import { client, config } from './api.js'
import { createDecisions, UNDO_MS, type Decisions } from './decisions.js'
import { keepFresh } from './session.js'

const decisions = createDecisions((id, { verdict, comment, digest }) =>
  client.approvals.decide(id, { decision: verdict, digest, ...(comment === '' ? {} : { comment }) }),
)

/** The decisions of this page. */
export const ownDecisions: Decisions = {
  ...decisions,
  decide(...decision) {
    decisions.decide(...decision)
    // A page that is left has no time to renew the session first.
    if (config.login === 'taskboard') void keepFresh(UNDO_MS).catch(() => undefined)
  },
}

// A hidden page may end without another event. What was decided is sent, so that leaving never takes a decision back.
addEventListener('pagehide', () => void decisions.sendAll())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void decisions.sendAll()
})

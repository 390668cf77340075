import type { Session } from '@taskboard/client'
import { client } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import { sectionsText } from '../texts/sections.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { Time } from '../ui/time.js'
import { ResourceRow } from './resource-list.js'

const text = sectionsText.sessions

/** Where the person is logged in, and the ways to end that. */
export function Sessions() {
  const pages = usePages<Session>(async (_, signal) => {
    const { sessions } = await client.account.sessions.list({ signal })
    return { items: sessions, next: null }
  }, [])
  const endOthers = async (): Promise<void> => {
    await client.account.sessions.endOthers()
    announce(text.othersEnded)
    pages.reload()
  }
  return (
    <section class="panel" aria-labelledby="sessions">
      <h3 id="sessions">{text.title}</h3>
      <p class="quiet">{text.about}</p>
      <ShowPages pages={pages} empty={false}>
        {(items) => (
          <>
            <ul class="row-list">
              {items.map((session) => (
                <SessionRow key={session.id} of={session} onEnded={pages.reload} />
              ))}
            </ul>
            {items.length > 1 && (
              <div class="actions">
                <button type="button" class="button" onClick={() => void endOthers().catch(complain)}>
                  {text.endOthers}
                </button>
              </div>
            )}
          </>
        )}
      </ShowPages>
    </section>
  )
}

function SessionRow({ of: session, onEnded }: { readonly of: Session; readonly onEnded: () => void }) {
  const name = session.user_agent ?? text.unknownClient
  const end = async (): Promise<void> => {
    await client.account.sessions.end(session.id)
    announce(text.isEnded)
    onEnded()
  }
  return (
    <ResourceRow name={name} actions={[!session.is_current && { label: text.end, run: end }]}>
      <div class="row-main">
        <p class="row-title">
          <bdi>{name}</bdi> {session.is_current && <span class="chip chip-good">{text.current}</span>}
        </p>
        <p class="quiet row-facts">
          <bdi>{session.client_address}</bdi>
          <span>
            {text.began} <Time at={session.created_at} />
          </span>
          <span>
            {text.lastUsed} <Time at={session.last_used_at} />
          </span>
        </p>
      </div>
    </ResourceRow>
  )
}

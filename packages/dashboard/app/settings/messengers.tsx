import type { CreateMessengerCodeAnswer, MessengerConversation, MessengerLink } from '@taskboard/client'
import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { announce } from '../state/notices.js'
import { messengersText as text } from '../texts/messengers.js'
import { settingsText } from '../texts/settings.js'
import { FormError, useSubmit } from '../ui/form.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { CopyButton } from '../ui/secret.js'
import { Failed, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { ResourceRow } from './resource-list.js'
import { SectionHead } from './section.js'

/** The accounts of messengers that are linked to the person, and the conversations that are connected. */
export function Messengers() {
  const found = useLoaded((signal) => client.messengers.list({ signal }), [])
  if (found.failure !== null) return <Failed failure={found.failure} onRetry={found.reload} />
  const labels = new Map((found.value?.messengers ?? []).map(({ name, label }) => [name, label]))
  const isOffered = labels.size > 0
  return (
    <>
      <SectionHead title={settingsText.tabs.messengers} />
      <section class="panel" aria-labelledby="linked">
        <h3 id="linked">{text.title}</h3>
        <p class="quiet">{found.value !== null && !isOffered ? text.none : text.about}</p>
        <ul class="row-list">
          {(found.value?.links ?? []).map((link) => (
            <LinkRow key={link.id} link={link} label={labels.get(link.messenger)} onChanged={found.reload} />
          ))}
        </ul>
        {isOffered && <NewCode labels={labels} />}
      </section>
      {can('account:read') && <Conversations labels={labels} />}
    </>
  )
}

type Labels = ReadonlyMap<string, string>

function LinkRow({
  link,
  label,
  onChanged,
}: {
  readonly link: MessengerLink
  readonly label: string | undefined
  readonly onChanged: () => void
}) {
  const unlink = async (): Promise<void> => {
    await client.messengers.unlink(link.id)
    announce(text.isUnlinked(link.name))
    onChanged()
  }
  return (
    <ResourceRow name={link.name} actions={[{ label: text.unlink, isDangerous: true, run: unlink }]}>
      <div class="row-main">
        <p class="row-title">
          <bdi>{link.name}</bdi> <span class="chip">{label ?? link.messenger}</span>
        </p>
        <p class="quiet row-facts">
          <span>
            {text.linked} <Time at={link.created_at} />
          </span>
          <span>{link.time_zone}</span>
        </p>
      </div>
    </ResourceRow>
  )
}

/** Shows a code that links another account. */
function NewCode({ labels }: { readonly labels: Labels }) {
  const [made, setMade] = useState<CreateMessengerCodeAnswer | null>(null)
  const { failure, isBusy, submit } = useSubmit()
  const make = () =>
    submit(async () => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
      setMade(await client.messengers.createCode({ time_zone: zone }))
    })
  return (
    <>
      <FormError failure={failure} />
      {made !== null && (
        <div role="status">
          <p>{text.send}</p>
          <p>
            <code class="secret">{made.code}</code> <CopyButton value={made.code} />
          </p>
          {Object.entries(made.addresses).map(([name, address]) => (
            <p key={name}>
              <a href={address} rel="noreferrer" target="_blank">
                {text.open(labels.get(name) ?? name)}
              </a>
            </p>
          ))}
          <p class="quiet">
            {text.valid} <Time at={made.expires_at} />
          </p>
        </div>
      )}
      <div class="actions">
        <button type="button" class="button button-primary" disabled={isBusy} onClick={() => void make()}>
          {text.newCode}
        </button>
      </div>
    </>
  )
}

function Conversations({ labels }: { readonly labels: Labels }) {
  const pages = usePages<MessengerConversation>(async (_, signal) => {
    const { conversations } = await client.messengers.conversations({ signal })
    return { items: conversations, next: null }
  }, [])
  return (
    <section class="panel" aria-labelledby="conversations">
      <h3 id="conversations">{text.conversations}</h3>
      <p class="quiet">{text.conversationsAbout}</p>
      <ShowPages pages={pages} empty={false}>
        {(items) => (
          <ul class="row-list">
            {items.map((each) => (
              <ConversationRow key={each.id} of={each} labels={labels} onChanged={pages.reload} />
            ))}
          </ul>
        )}
      </ShowPages>
    </section>
  )
}

function ConversationRow({
  of: { id, title, messenger, created_at: at, failure },
  labels,
  onChanged,
}: {
  readonly of: MessengerConversation
  readonly labels: Labels
  readonly onChanged: () => void
}) {
  const disconnect = async (): Promise<void> => {
    await client.messengers.disconnect(id)
    announce(text.isDisconnected(title))
    onChanged()
  }
  const confirm = { title: text.disconnectTitle, message: text.disconnectMessage(title) }
  const action = { label: text.disconnect, isDangerous: true, confirm, run: disconnect }
  return (
    <ResourceRow name={title} actions={[can('account:write') && action]}>
      <div class="row-main">
        <p class="row-title">
          <bdi>{title}</bdi> <span class="chip">{labels.get(messenger) ?? messenger}</span>
          {failure !== null && <span class="chip chip-bad">{text.failed}</span>}
        </p>
        <p class="quiet row-facts">
          <span>
            {text.connected} <Time at={at} />
          </span>
        </p>
        {failure !== null && <p class="field-error">{failure}</p>}
      </div>
    </ResourceRow>
  )
}

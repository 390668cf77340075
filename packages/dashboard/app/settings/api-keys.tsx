import { useState } from 'preact/hooks'
import { account, can, client, isUser } from '../state/api.js'
import { now } from '../state/clock.js'
import { announce, complain } from '../state/notices.js'
import type { ApiKey } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { FormError, Select, useSubmit } from '../ui/form.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { SecretOnce } from '../ui/secret.js'
import { Empty } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { ApiKeyForm } from './api-key-form.js'
import { FormActions, SectionHead } from './section.js'

const text = sectionsText.keys
const PAGE_SIZE = 50
const overlaps = ['0', '3600', '86400', '604800'] as const

/** A key that was just made; only this page has it. */
interface Made {
  readonly name: string
  readonly key: string
}

/** API keys: made, shown once, rotated, revoked. */
export function ApiKeys() {
  const pages = usePages<ApiKey>(async (cursor, signal) => {
    const answer = await client.apiKeys.list({ limit: PAGE_SIZE, cursor }, { signal })
    return { items: answer.api_keys, next: answer.next_cursor }
  }, [])
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const keep = ({ name, key }: Made): void => {
    setMade({ name, key })
    pages.reload()
  }
  return (
    <>
      <SectionHead
        title={settingsText.tabs.keys}
        about={text.about}
        add={can('account:write') && isUser() && text.create}
        onAdd={() => setCreating(true)}
      />
      {made !== null && (
        <SecretOnce
          key={made.key}
          title={text.onceTitle(made.name)}
          note={text.once}
          value={made.key}
          done={text.done}
          onDone={() => setMade(null)}
        />
      )}
      <section class="panel" aria-label={settingsText.tabs.keys}>
        <ShowPages pages={pages} empty={<Empty title={text.empty} />}>
          {(keys) => (
            <ul class="row-list">
              {keys.map((key) => (
                <KeyRow key={key.id} of={key} onMade={keep} onChanged={pages.reload} />
              ))}
            </ul>
          )}
        </ShowPages>
      </section>
      {isCreating && <ApiKeyForm onClose={() => setCreating(false)} onMade={keep} />}
    </>
  )
}

type KeyState = 'active' | 'expired' | 'revoked'

function stateOf(key: ApiKey): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  return key.expires_at !== null && Date.parse(key.expires_at) <= now.value ? 'expired' : 'active'
}

const tones: Readonly<Record<KeyState, string>> = { active: 'good', expired: 'warn', revoked: 'bad' }

function KeyFacts({ of: key, state }: { readonly of: ApiKey; readonly state: KeyState }) {
  const workspaceName =
    key.workspace_id === null
      ? text.everyWorkspace
      : (account.value?.workspaces.find(({ id }) => id === key.workspace_id)?.name ?? key.workspace_id)
  return (
    <div class="row-main">
      <p class="row-title">
        <bdi>{key.name}</bdi> <span class={`chip chip-${tones[state]}`}>{text[state]}</span>
      </p>
      <p class="quiet row-facts">
        <code>{key.prefix}…</code>
        <bdi>{workspaceName}</bdi>
        <span>
          {text.created} <Time at={key.created_at} />
        </span>
        {key.expires_at === null ? (
          <span>{text.never}</span>
        ) : (
          <span>
            {text.expiresAt} <Time at={key.expires_at} />
          </span>
        )}
      </p>
      <details>
        <summary>{sectionsText.members.scopes(key.scopes.length)}</summary>
        <p class="chips">
          {key.scopes.map((scope) => (
            <span key={scope} class="chip">
              {sectionsText.scopes[scope]}
            </span>
          ))}
        </p>
      </details>
    </div>
  )
}

function KeyRow({
  of: key,
  onMade,
  onChanged,
}: {
  readonly of: ApiKey
  readonly onMade: (made: Made) => void
  readonly onChanged: () => void
}) {
  const [isRevoking, setRevoking] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const state = stateOf(key)
  const revoke = async (): Promise<void> => {
    await client.apiKeys.revoke(key.id)
    announce(text.isRevoked(key.name))
    onChanged()
  }
  return (
    <li>
      <KeyFacts of={key} state={state} />
      {state === 'active' && can('account:write') && (
        <div class="actions">
          {isUser() && (
            <button
              type="button"
              class="button button-small"
              aria-label={`${text.rotate}: ${key.name}`}
              onClick={() => setRotating(true)}
            >
              {text.rotate}
            </button>
          )}
          <button
            type="button"
            class="button button-small button-danger"
            aria-label={`${text.revoke}: ${key.name}`}
            onClick={() => setRevoking(true)}
          >
            {text.revoke}
          </button>
        </div>
      )}
      {isRotating && <RotateKey of={key} onClose={() => setRotating(false)} onMade={onMade} />}
      {isRevoking && (
        <Confirm
          title={text.revokeTitle}
          message={text.revokeMessage(key.name)}
          action={text.revoke}
          onConfirm={() => void revoke().catch(complain)}
          onClose={() => setRevoking(false)}
        />
      )}
    </li>
  )
}

function RotateKey({
  of: key,
  onClose,
  onMade,
}: {
  readonly of: ApiKey
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>('86400')
  const { failure, isBusy, submit } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const made = await client.apiKeys.rotate(key.id, { overlap_s: Number(overlap) })
      onClose()
      onMade(made)
    })
  }
  return (
    <Dialog title={text.rotateTitle} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <p>{text.rotateMessage(key.name)}</p>
        <Select
          label={text.overlap}
          value={overlap}
          options={overlaps.map((one) => [one, text.overlaps[one]] as const)}
          onValue={setOverlap}
        />
        <FormError failure={failure} />
        <FormActions submit={text.rotate} isBusy={isBusy} cancel={common.actions.cancel} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

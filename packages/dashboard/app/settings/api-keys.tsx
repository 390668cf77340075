import { useState } from 'preact/hooks'
import { account, can, client, isUser } from '../state/api.js'
import { now } from '../state/clock.js'
import { announce } from '../state/notices.js'
import type { ApiKey } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, useForm } from '../ui/form.js'
import { useMemberEmails } from '../ui/member-emails.js'
import { usePages } from '../ui/pages.js'
import { SecretOnce } from '../ui/secret.js'
import { Time } from '../ui/time.js'
import { ApiKeyForm } from './api-key-form.js'
import { ResourceList, ResourceRow } from './resource-list.js'
import { Scopes } from './scopes.js'

const text = sectionsText.keys
const PAGE_SIZE = 50
const overlaps = ['0', '3600', '86400', '604800'] as const

/** A key that was just made; only this page knows it. */
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
  const emails = useMemberEmails()
  const [made, setMade] = useState<Made | null>(null)
  const keep = ({ name, key }: Made): void => {
    setMade({ name, key })
    pages.reload()
  }
  return (
    <ResourceList
      title={settingsText.tabs.keys}
      about={text.about}
      create={can('account:write') && isUser() && text.create}
      form={(close) => <ApiKeyForm onClose={close} onMade={keep} />}
      notice={
        made !== null && (
          <SecretOnce
            key={made.key}
            title={text.onceTitle(made.name)}
            note={text.once}
            value={made.key}
            done={text.done}
            onDone={() => setMade(null)}
          />
        )
      }
      pages={pages}
      empty={text.empty}
    >
      {(key) => (
        <KeyRow
          key={key.id}
          of={key}
          maker={emails.get(key.created_by ?? '')}
          onMade={keep}
          onChanged={pages.reload}
        />
      )}
    </ResourceList>
  )
}

type KeyState = 'active' | 'expired' | 'revoked'

function stateOf(key: ApiKey): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  return key.expires_at !== null && Date.parse(key.expires_at) <= now.value ? 'expired' : 'active'
}

const tones: Readonly<Record<KeyState, string>> = { active: 'good', expired: 'warn', revoked: 'bad' }

/** Whether the caller made it. No one else rotates it. */
const isOwn = (key: ApiKey): boolean => key.created_by === account.value?.caller.id

function KeyFacts({
  of: key,
  state,
  maker,
}: {
  readonly of: ApiKey
  readonly state: KeyState
  readonly maker: string | undefined
}) {
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
        {key.last_used_at === null ? (
          <span>{text.neverUsed}</span>
        ) : (
          <span>
            {text.lastUsed} <Time at={key.last_used_at} />
          </span>
        )}
        {isOwn(key) && <span>{text.byYou}</span>}
        {!isOwn(key) && maker !== undefined && (
          <span>
            {text.by} <bdi>{maker}</bdi>
          </span>
        )}
        {key.expires_at === null ? (
          <span>{text.never}</span>
        ) : (
          <span>
            {text.expiresAt} <Time at={key.expires_at} />
          </span>
        )}
      </p>
      <Scopes of={key.scopes} />
    </div>
  )
}

function KeyRow({
  of: key,
  maker,
  onMade,
  onChanged,
}: {
  readonly of: ApiKey
  /** The address of who made it. */
  readonly maker: string | undefined
  readonly onMade: (made: Made) => void
  readonly onChanged: () => void
}) {
  const state = stateOf(key)
  const mayChange = state === 'active' && can('account:write')
  const revoke = async (): Promise<void> => {
    await client.apiKeys.revoke(key.id)
    announce(text.isRevoked(key.name))
    onChanged()
  }
  return (
    <ResourceRow
      name={key.name}
      actions={[
        mayChange &&
          isUser() &&
          isOwn(key) && {
            label: text.rotate,
            dialog: (close) => <RotateKey of={key} onClose={close} onMade={onMade} />,
          },
        mayChange && {
          label: text.revoke,
          isDangerous: true,
          confirm: { title: text.revokeTitle, message: text.revokeMessage(key.name) },
          run: revoke,
        },
      ]}
    >
      <KeyFacts of={key} state={state} maker={maker} />
    </ResourceRow>
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
  const form = useForm<{ overlap: (typeof overlaps)[number] }>({ overlap: '86400' })
  const send = async (): Promise<void> => {
    const made = await client.apiKeys.rotate(key.id, { overlap_s: Number(form.draft.overlap) })
    onClose()
    onMade(made)
  }
  return (
    <FormDialog form={form} title={text.rotateTitle} action={text.rotate} send={send} onClose={onClose}>
      <p>{text.rotateMessage(key.name)}</p>
      <Select
        label={text.overlap}
        options={overlaps.map((one) => [one, text.overlaps[one]] as const)}
        {...form.field('overlap')}
      />
    </FormDialog>
  )
}

import { useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { go, href } from '../state/router.js'
import type { Webhook } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { usePages } from '../ui/pages.js'
import { SecretOnce } from '../ui/secret.js'
import { Time } from '../ui/time.js'
import { ResourceList } from './resource-list.js'
import { WebhookForm } from './webhook-form.js'
import { WebhookPage } from './webhook-page.js'
import { WebhookState } from './webhook-state.js'

const text = sectionsText.webhooks

/** The webhooks of the workspace, or one of them with its log. */
export function Webhooks({ id }: { readonly id: string | undefined }) {
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />
}

function WebhookList() {
  const pages = usePages<Webhook>(async (_, signal) => {
    const { webhooks } = await client.webhooks.list({ workspace_id: workspaceId() }, { signal })
    return { items: webhooks, next: null }
  }, [])
  const [secret, setSecret] = useState<string | null>(null)
  const keep = ({ id }: Webhook, generated: string | null): void => {
    if (generated === null) return go('settings', 'webhooks', id)
    setSecret(generated)
    pages.reload()
  }
  return (
    <ResourceList
      title={settingsText.tabs.webhooks}
      about={text.about}
      create={can('webhooks:write') && text.create}
      form={(close) => <WebhookForm webhook={null} onClose={close} onSaved={keep} />}
      notice={
        secret !== null && (
          <SecretOnce
            key={secret}
            title={text.secretTitle}
            note={text.secretOnce}
            value={secret}
            done={text.done}
            onDone={() => setSecret(null)}
          />
        )
      }
      pages={pages}
      empty={text.empty}
    >
      {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
    </ResourceList>
  )
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  return (
    <li>
      <div class="row-main">
        <p class="row-title">
          <a href={href('settings', 'webhooks', webhook.id)}>
            <bdi>{webhook.url}</bdi>
          </a>
        </p>
        <p class="quiet row-facts">
          <span>{sectionsText.events.count(webhook.events.length)}</span>
          <span>
            {sectionsText.created} <Time at={webhook.created_at} />
          </span>
        </p>
      </div>
      <div class="chips">
        <WebhookState webhook={webhook} />
      </div>
    </li>
  )
}

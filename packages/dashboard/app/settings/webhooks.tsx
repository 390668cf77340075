import { useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { go, href } from '../state/router.js'
import type { Webhook } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { Empty, Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { SectionHead } from './section.js'
import { WebhookForm } from './webhook-form.js'
import { WebhookPage } from './webhook-page.js'
import { WebhookState } from './webhook-state.js'

const text = sectionsText.webhooks

/** The webhooks of the workspace, or one of them with its log. */
export function Webhooks({ id }: { readonly id: string | undefined }) {
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />
}

function WebhookList() {
  const loaded = useLoaded((signal) => client.webhooks.list({ workspace_id: workspaceId() }, { signal }), [])
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <SectionHead
        title={settingsText.tabs.webhooks}
        about={text.about}
        add={can('webhooks:write') && text.create}
        onAdd={() => setCreating(true)}
      />
      <section class="panel" aria-label={settingsText.tabs.webhooks}>
        <Show loaded={loaded}>
          {({ webhooks }) =>
            webhooks.length === 0 ? (
              <Empty title={text.empty} />
            ) : (
              <ul class="row-list">
                {webhooks.map((webhook) => (
                  <WebhookRow key={webhook.id} webhook={webhook} />
                ))}
              </ul>
            )
          }
        </Show>
      </section>
      {isCreating && (
        <WebhookForm
          webhook={null}
          onClose={() => setCreating(false)}
          onSaved={({ id }) => go('settings', 'webhooks', id)}
        />
      )}
    </>
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

import { useEffect } from 'preact/hooks'
import { account, readAccount } from '../state/api.js'
import { complain } from '../state/notices.js'
import type { Account } from '../state/wire.js'
import { formatCount } from '../texts/format.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { Meter } from '../ui/meter.js'
import { Time } from '../ui/time.js'
import { SectionHead } from './section.js'

const text = sectionsText.usage
const names: Readonly<Record<keyof Account['usage'], string>> = text.names
const quotas = Object.keys(names) as readonly (keyof Account['usage'])[]
const limits = ['requests_per_hour', 'burst_per_minute', 'websocket_connections'] as const

function Quota({ of, quota }: { readonly of: Account; readonly quota: keyof Account['usage'] }) {
  const { used, limit } = of.usage[quota]
  const shown = formatCount(used ?? 0)
  const words =
    limit === null
      ? used === null
        ? text.unlimited
        : text.unlimitedUsed(shown)
      : text.of(shown, formatCount(limit))
  return (
    <div>
      <dt>{names[quota]}</dt>
      <dd>
        {words}
        {limit !== null && <Meter used={used ?? 0} limit={limit} label={`${names[quota]}: ${words}`} />}
        {quota === 'tasks_per_month' && limit !== null && (
          <small class="hint">
            {text.resets} <Time at={of.usage.tasks_per_month.resets_at} />
          </small>
        )}
      </dd>
    </div>
  )
}

/** What the tier allows, and how much of it is used. */
export function UsageSection() {
  const shown = account.value
  useEffect(() => {
    readAccount().catch(complain)
  }, [])
  if (shown === null) return null
  return (
    <>
      <SectionHead title={settingsText.tabs.usage} />
      <section class="panel">
        <dl class="fact-list">
          <div>
            <dt>{text.account}</dt>
            <dd>
              <bdi>{shown.name}</bdi>
            </dd>
          </div>
          <div>
            <dt>{text.tier}</dt>
            <dd>{text.tiers[shown.tier]}</dd>
          </div>
          <div>
            <dt>{text.since}</dt>
            <dd>
              <Time at={shown.created_at} />
            </dd>
          </div>
        </dl>
      </section>
      <section class="panel" aria-labelledby="quotas">
        <h3 id="quotas">{text.quotas}</h3>
        <dl class="fact-list">
          {quotas.map((quota) => (
            <Quota key={quota} of={shown} quota={quota} />
          ))}
        </dl>
      </section>
      <section class="panel" aria-labelledby="limits">
        <h3 id="limits">{text.limits}</h3>
        <dl class="fact-list">
          {limits.map((limit) => (
            <div key={limit}>
              <dt>{text.limitNames[limit]}</dt>
              <dd>{shown.limits[limit] === null ? text.unlimited : formatCount(shown.limits[limit] ?? 0)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

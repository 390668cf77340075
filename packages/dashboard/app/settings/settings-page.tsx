import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { can, config, isUser } from '../state/api.js'
import { href, route } from '../state/router.js'
import { settingsText as text } from '../texts/settings.js'
import { Empty } from '../ui/states.js'
import { ApiKeys } from './api-keys.js'
import { Channels } from './channels.js'
import { Login } from './login.js'
import { Messengers } from './messengers.js'
import { Members } from './members.js'
import { Schedules } from './schedules.js'
import { UsageSection } from './usage.js'
import { Webhooks } from './webhooks.js'
import { Workspaces } from './workspaces.js'

type Section = keyof typeof text.tabs

interface SectionProps {
  /** What comes after the section in the address. */
  readonly id: string | undefined
}

const sections: Readonly<
  Record<Section, { readonly show: ComponentType<SectionProps>; isAllowed(): boolean }>
> = {
  keys: { show: ApiKeys, isAllowed: () => can('account:read') },
  webhooks: { show: Webhooks, isAllowed: () => can('webhooks:read') },
  channels: { show: Channels, isAllowed: () => can('webhooks:read') },
  schedules: { show: Schedules, isAllowed: () => can('tasks:read') },
  messengers: { show: Messengers, isAllowed: () => isUser() },
  members: { show: Members, isAllowed: () => can('account:read') && config.login === 'taskboard' },
  security: {
    show: Login,
    isAllowed: () => isUser() && config.login === 'taskboard',
  },
  workspaces: { show: Workspaces, isAllowed: () => can('account:read') },
  usage: { show: UsageSection, isAllowed: () => can('account:read') },
}

/** What the account and the workspace are set to. */
export function SettingsPage() {
  const [wanted, id] = route.value.rest
  const allowed = (Object.keys(sections) as Section[]).filter((section) => sections[section].isAllowed())
  const shown = allowed.find((section) => section === wanted) ?? allowed[0]
  if (shown === undefined) return <Empty title={text.nothingAllowed} />
  const { show: Shown } = sections[shown]
  return (
    <div class="page-inner">
      <Tabs allowed={allowed} shown={shown} />
      <Shown key={shown} id={shown === wanted ? id : undefined} />
    </div>
  )
}

function Tabs({ allowed, shown }: { readonly allowed: readonly Section[]; readonly shown: Section }) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the sections are wider than the screen.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [shown])
  return (
    <nav ref={nav} class="tabs" aria-label={text.sections}>
      {allowed.map((section) => (
        <a
          key={section}
          href={href('settings', section)}
          aria-current={section === shown ? 'page' : undefined}
        >
          {text.tabs[section]}
        </a>
      ))}
    </nav>
  )
}

import type { ComponentType } from 'preact'
import type { Scope } from './state/wire.js'
import { agentsText } from './texts/agents.js'
import { analyticsText } from './texts/analytics.js'
import { auditText } from './texts/audit.js'
import { text } from './texts/index.js'
import { settingsText } from './texts/settings.js'
import { drawings } from './ui/drawings.js'

/** A page of the application. */
export interface PageRow {
  /** In the navigation, and at the top of the page. */
  readonly title: string
  /** A drawing, like the drawings of `ui/drawings.ts`. */
  readonly icon: string
  /** The key that leads to it, after `g`. */
  readonly shortcut: string
  /** Who lacks it isn't offered the page. */
  readonly scope?: Scope
  /** What draws it, loaded when the page is opened. */
  readonly load: () => Promise<ComponentType>
}

/**
 * The pages by their names, which are their addresses (`#/board`), in the order of the navigation. Links, keys and their list, titles, the test
 * that opens every page and the script that takes pictures of them derive from this table.
 */
export const pages = {
  board: {
    title: text.board.title,
    icon: drawings.board,
    shortcut: 'b',
    load: () => import('./board/board.js').then(({ Board }) => Board),
  },
  inbox: {
    title: text.inbox.title,
    icon: drawings.inbox,
    shortcut: 'i',
    load: () => import('./inbox/inbox-page.js').then(({ InboxPage }) => InboxPage),
  },
  agents: {
    title: agentsText.title,
    icon: drawings.agents,
    shortcut: 'a',
    scope: 'agents:read',
    load: () => import('./agents/agents-page.js').then(({ AgentsPage }) => AgentsPage),
  },
  chat: {
    title: text.chat.title,
    icon: drawings.chat,
    shortcut: 'c',
    scope: 'chat:write',
    load: () => import('./chat/chat-page.js').then(({ ChatPage }) => ChatPage),
  },
  analytics: {
    title: analyticsText.title,
    icon: drawings.analytics,
    shortcut: 'y',
    scope: 'analytics:read',
    load: () => import('./analytics/analytics-page.js').then(({ AnalyticsPage }) => AnalyticsPage),
  },
  audit: {
    title: auditText.title,
    icon: drawings.record,
    shortcut: 'u',
    scope: 'audit:read',
    load: () => import('./audit/audit-page.js').then(({ AuditPage }) => AuditPage),
  },
  settings: {
    title: settingsText.title,
    icon: drawings.settings,
    shortcut: 's',
    load: () => import('./settings/settings-page.js').then(({ SettingsPage }) => SettingsPage),
  },
} as const satisfies Readonly<Record<string, PageRow>>

declare module './state/router.js' {
  interface Pages extends Record<keyof typeof pages, unknown> {}
}

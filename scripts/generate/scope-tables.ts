import { roleNames, roles } from '../../packages/core/src/access/roles.js'
import { type Scope, scopes } from '../../packages/core/src/index.js'
import { type Document, operationsOf } from './document.js'
import { anchorOf, FOLDER } from './reference/reference-pages.js'

/** The rights of each scope, for people. */
const rights: Readonly<Record<Scope, string>> = {
  'tasks:read': 'read tasks, their logs, comments, attempts, approvals and schedules, and follow them live',
  'tasks:write':
    'add, edit, move, comment on and delete tasks, work on them under a claim, and manage schedules',
  'approvals:write': 'decide approvals',
  'agents:read': 'read agents, their status and their budgets',
  'agents:write': 'create, change, pause and delete agents',
  'analytics:read': 'read figures about tasks and the usage of language models',
  'webhooks:read': 'read webhooks, deliveries and notification channels',
  'webhooks:write': 'create, change, test and delete webhooks and notification channels',
  'chat:write': 'send chat messages to agents, which then act with the rights of the sender',
  'account:read': 'read the account, its workspaces, members, invitations and API keys',
  'account:write': 'change the account: workspaces, members, API keys, budgets and corrections of usage',
  'audit:read': 'read who did what in the account',
}

/** The tables of docs/scopes.md, by the names of their places. */
export function scopeTables(document: Document): Readonly<Record<string, string>> {
  const withScope = (scope: Scope) =>
    roleNames.filter((role) => (roles[role] as readonly Scope[]).includes(scope))
  const rows = scopes.map(
    (scope) =>
      `| \`${scope}\` | ${rights[scope]} | ${withScope(scope)
        .map((role) => `\`${role}\``)
        .join(', ')} |`,
  )
  return {
    scopes: ['| Scope | Rights | Roles that have it |', '| --- | --- | --- |', ...rows].join('\n'),
    'requests by scope': requestsText(document),
  }
}

function requestsText(document: Document): string {
  const requests = operationsOf(document).flatMap((operation) => {
    const traits = operation['x-taskboard']
    const page = `${FOLDER.replace('docs/', '')}/${operation.tags[0] ?? ''}.md`
    const linked = (heading: string): string => `[\`${heading}\`](${page}#${anchorOf(heading)})`
    const heading = `${operation.method} ${operation.path}`
    if (traits === undefined || !('actions' in traits))
      return [{ scope: operation['x-scope'] ?? 'webhooks:write', link: linked(heading) }]
    return Object.entries(traits.actions).map(([action, { scope }]) => ({
      scope,
      link: linked(`${heading}?action=${action}`),
    }))
  })
  const rows = scopes.map((scope) => {
    const links = requests.filter((request) => request.scope === scope).map(({ link }) => link)
    return `| \`${scope}\` | ${links.join('<br>')} |`
  })
  return ['| Scope | Requests |', '| --- | --- |', ...rows].join('\n')
}

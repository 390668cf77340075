import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { defaultTiers, tiers } from '../packages/core/src/index.js'
import { entriesOf, packageNames } from '../scripts/packages.mjs'

const page = readFileSync(new URL('options.md', import.meta.url), 'utf8')
const core = 'packages/core/src'
/** Where the options under each heading of the page are declared. */
const declarations: Readonly<Record<string, readonly [path: string, name: string]>> = {
  createTaskboard: [`${core}/wiring/taskboard-options.ts`, 'TaskboardOptions'],
  bounds: [`${core}/limits/bounds.ts`, 'BoundOptions'],
  tokens: [`${core}/access/access-token.ts`, 'TokenOptions'],
  secrets: [`${core}/access/secret-box.ts`, 'SecretBoxOptions'],
  links: [`${core}/links/link-options.ts`, 'LinkOptions'],
  webhooks: [`${core}/webhooks/webhook-options.ts`, 'WebhookOptions'],
  analytics: [`${core}/analytics/analytics.ts`, 'AnalyticsOptions'],
  priority: [`${core}/priority/scoring.ts`, 'ScoringOptions'],
  realtime: [`${core}/realtime/realtime-options.ts`, 'RealtimeOptions'],
  defineAgent: [`${core}/agents/define-agent.ts`, 'AgentOptions'],
  postgresStorage: ['packages/postgres/src/postgres-storage.ts', 'PostgresStorageOptions'],
  failoverPool: ['packages/postgres/src/failover/failover-pool.ts', 'FailoverOptions'],
  taskboardRouter: ['packages/express/src/taskboard-router.ts', 'TaskboardRouterOptions'],
  taskboardPlugin: ['packages/fastify/src/taskboard-plugin.ts', 'TaskboardPluginOptions'],
  toFetchHandler: [`${core}/http/fetch-handler.ts`, 'FetchHandlerOptions'],
  toNodeHandler: [`${core}/http/node-handler.ts`, 'NodeHandlerOptions'],
  closeServer: [`${core}/http/close-server.ts`, 'CloseServerOptions'],
  healthRoutes: [`${core}/http/health-routes.ts`, 'HealthRouteOptions'],
  otelTelemetry: ['packages/otel/src/otel-telemetry.ts', 'OtelTelemetryOptions'],
  attachRealtime: ['packages/ws/src/attach-realtime.ts', 'AttachRealtimeOptions'],
  email: ['packages/notify/src/email.ts', 'EmailOptions'],
  slackBot: ['packages/bots/src/slack/slack-bot.ts', 'SlackBotOptions'],
  telegramBot: ['packages/bots/src/telegram/telegram-options.ts', 'TelegramBotOptions'],
  createClient: ['packages/client/src/client-options.ts', 'ClientSettings'],
  'retry of createClient': ['packages/client/src/retry.ts', 'RetryOptions'],
  virtualClock: ['packages/testing/src/clock/virtual-clock.ts', 'VirtualClockOptions'],
  webhookReceiver: ['packages/testing/src/webhooks/webhook-receiver.ts', 'WebhookReceiverOptions'],
  taskboardDashboard: ['packages/dashboard/src/dashboard-options.ts', 'DashboardOptions'],
  taskboardMcp: ['packages/mcp/src/mcp-options.ts', 'McpOptions'],
  serveMcpOverStdio: ['packages/mcp/src/stdio/serve-stdio.ts', 'StdioOptions'],
  aiAgent: ['packages/ai/src/ai-agent-options.ts', 'AiAgentOptions'],
  'client.worker': ['packages/client/src/worker/worker.ts', 'WorkerOptions'],
  taskboardGraphql: ['packages/graphql/src/graphql-options.ts', 'GraphqlOptions'],
}
/** Exported options that are not on the page, with the place that explains them. */
const elsewhere: Readonly<Record<string, string>> = {
  ClientOptions: 'createClient, with the credential',
  CallOptions: 'packages/client/README.md: of one call',
  AddOptions: 'docs/transactions.md: of one call',
  ListOptions: 'docs/transactions.md: of one call',
  WriteOptions: 'docs/transactions.md: of one call',
  UpdateOptions: 'docs/budgets.md: of one call',
  ResealOptions: 'docs/key-rotation.md: of one call',
  PublishOptions: 'docs/notifications.md: of one call',
  DeleteOptions: 'docs/accounts.md: of one call',
  SubscribeOptions: 'packages/client/README.md: of one subscription',
  PeopleOptions: 'docs/own-login.md',
  RateLimiterOptions: 'docs/parts.md',
  TierOptions: 'the table of tiers, which has a test of its own',
  ExportOptions: 'docs/backup.md',
  MigrationOptions: 'docs/scaling.md',
  ImportOptions: 'docs/backup.md',
  V2ConformanceOptions: 'CONTRIBUTING.md',
  TransportConformanceOptions: 'CONTRIBUTING.md',
}
/** Options that the page explains as a whole, in one row. */
const wholes = new Set(['attempts.backoff', 'documentCache', 'taskboard'])

function interfaceOf(path: string, name: string): ts.InterfaceDeclaration {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  )
  if (found === undefined) throw new Error(`${path} declares no interface ${name}`)
  return found
}

/** The object type that a member has, alone or beside `undefined`. */
function objectTypeOf(type: ts.TypeNode | undefined): ts.TypeLiteralNode | undefined {
  if (type === undefined) return undefined
  if (ts.isTypeLiteralNode(type)) return type
  return ts.isUnionTypeNode(type) ? type.types.find(ts.isTypeLiteralNode) : undefined
}

function namesIn(members: ts.NodeArray<ts.TypeElement>, prefix = ''): readonly string[] {
  return members.flatMap((member) => {
    const name = `${prefix}${member.name?.getText() ?? ''}`
    const inner = ts.isPropertySignature(member) ? objectTypeOf(member.type) : undefined
    return inner === undefined || wholes.has(name) ? [name] : namesIn(inner.members, `${name}.`)
  })
}

/** The names in the first column of the section's table. Paths are a type of their own in the code. */
function namesOnPage(heading: string): readonly string[] {
  const [section = ''] = page.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`))
  const rows = [...section.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => name)
  return rows.map((name) => (name.startsWith('paths.') ? 'paths' : name))
}

/** The names of options that a package exports, from all of its entries. */
function exportedOptions(name: string): readonly string[] {
  const texts = entriesOf(name).map(({ source }) =>
    readFileSync(new URL(`../${source}`, import.meta.url), 'utf8'),
  )
  return texts.flatMap((text) => [...text.matchAll(/\b\w+Options\b/g)].map(([found]) => found))
}

describe('docs/options.md', () => {
  it('has the options of every package, but for those that are explained elsewhere', () => {
    const known = [...Object.values(declarations).map(([, name]) => name), ...Object.keys(elsewhere)]
    const exported = packageNames.flatMap(exportedOptions)
    expect(exported).toContain('McpOptions')
    expect([...new Set(exported)].filter((name) => !known.includes(name))).toEqual([])
  })

  it.each(Object.entries(declarations))('has every option of %s and no other', (heading, [path, name]) => {
    const declared = namesIn(interfaceOf(path, name).members)
    expect([...new Set(namesOnPage(heading))].toSorted()).toEqual(declared.toSorted())
  })

  it('has the numbers of every tier', () => {
    const written = (value: number | null): string => (value === null ? '`null`' : value.toLocaleString('en'))
    const { quota: quotas, ...rates } = defaultTiers.professional
    const row = (name: string, values: readonly (number | null)[]): string =>
      `| \`${name}\` | ${values.map(written).join(' | ')} | `
    const rows = [
      ...(Object.keys(rates) as (keyof typeof rates)[]).map((name) =>
        row(
          name,
          tiers.map((tier) => defaultTiers[tier][name]),
        ),
      ),
      ...(Object.keys(quotas) as (keyof typeof quotas)[]).map((name) =>
        row(
          `quota.${name}`,
          tiers.map((tier) => defaultTiers[tier].quota[name]),
        ),
      ),
    ]
    expect(rows.filter((text) => !page.includes(text))).toEqual([])
  })
})

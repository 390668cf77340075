import {
  createTaskboard,
  isTaskboardError,
  silentLogger,
  type AgentDefinition,
  type Logger,
  type TaskboardOptions,
} from '@taskboard/core'
import type { TransportServices } from '@taskboard/core/transport'
import { taskboardDashboard, type Dashboard } from '@taskboard/dashboard'
import { checklistAgent } from './checklist-agent.js'
import { ensureDemo, ensureWorker, mintDemoKey } from './demo-account.js'
import { ensureOwner } from './demo-owner.js'
import { openStorage, type DemoStorage } from './demo-storage.js'
import { tokenSecretOf } from './encryption-key.js'
import { commandsText } from './demo-commands.js'
import { greet } from './greeting.js'
import { logChannel } from './log-channel.js'
import { addSampleTasks } from './sample-tasks.js'
import { SettingError, type DemoSettings } from './settings.js'
import { describeEvent, type EventDraft } from '@taskboard/core/storage'

/** What an example server has besides the board's own routes. */
export interface DemoPages {
  readonly dashboard: Dashboard
  /** The text of `GET /commands`. */
  readonly commands: () => string
}

/** The web framework's part: serves the board's routes, the dashboard, GraphQL and the realtime channel. */
export interface DemoServer {
  /** For people. */
  readonly framework: string
  /** Resolves when it listens; rejects when it can't. */
  listen(
    taskboard: { readonly services: TransportServices },
    address: { readonly host: string; readonly port: number },
    pages: DemoPages,
  ): Promise<Listening>
}

export interface Listening {
  readonly port: number
  /** Responds to the requests in flight for at most `drainMs`, and takes no others. WebSockets stay until the board closes. */
  drain(drainMs: number): Promise<void>
  /** Resolves after that, and after the board's close, when no connection is left. */
  ended(): Promise<void>
}

export interface RunningDemo {
  readonly url: string
  /** Drains requests, then the agent's runs and the webhooks, closes WebSockets and the database, and leaves no open handle. */
  stop(): Promise<void>
}

/** Creates the board, serves it and prints the greeting through `print`. @throws SettingError */
export async function startDemo(
  load: () => Promise<DemoServer>,
  settings: DemoSettings,
  print: (text: string) => void,
): Promise<RunningDemo> {
  const logger = printingLogger(print)
  const opening = openStorage(settings, (message) => logger.warn({}, message))
  const [server] = await Promise.allSettled([load(), opening])
  const opened = await opening
  try {
    if (server.status === 'rejected') throw server.reason
    return await serveBoard(server.value, settings, { opened, logger, print })
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Events that aren't printed: there are many, and they name ids only. */
const QUIET: ReadonlySet<string> = new Set(['task.progress', 'agent.status'])

interface Surroundings {
  readonly opened: DemoStorage
  readonly logger: Logger
  readonly print: (text: string) => void
}

async function serveBoard(
  server: DemoServer,
  settings: DemoSettings,
  { opened, logger, print }: Surroundings,
): Promise<RunningDemo> {
  const { host, drainMs, webhookAllow } = settings
  const taskboard = await createDemoBoard(settings, { opened, logger, print }).catch(refuseKey(opened))
  taskboard.events.on('*', (event) => {
    if (!QUIET.has(event.type)) print(eventLine(event))
  })
  try {
    await taskboard.start().catch(refuseKey(opened))
    const workspace = await ensureDemo(taskboard)
    const owner = await ensureOwner(taskboard, workspace.accountId, settings)
    const key = await mintDemoKey(taskboard, workspace.workspaceId)
    const worker = settings.runsAgent ? null : await ensureWorker(taskboard, workspace.workspaceId)
    const dashboard = taskboardDashboard(taskboard)
    let commands = ''
    const pages = { dashboard, commands: () => commands }
    const listening = await server.listen(taskboard, settings, pages).catch(toSettingError(settings))
    const url = `http://${urlHost(host)}:${listening.port}`
    const place = { url, workspaceId: workspace.workspaceId, webhookAllow, worker }
    commands = commandsText(place)
    const dashboardUrl = await dashboard.createLoginLink({ email: owner.email, baseUrl: url })
    print(
      greet({
        ...workspace,
        ...place,
        ...key,
        owner,
        model: settings.model?.name ?? null,
        hasBot: settings.telegram !== null,
        framework: server.framework,
        dashboardUrl,
        place: opened.place,
        keyPlace: opened.keyPlace,
      }),
    )
    // They are checklists.
    if (workspace.isNew && settings.addsSamples && settings.runsAgent && settings.model === null) {
      await addSampleTasks(taskboard, workspace.workspaceId)
    }
    return {
      url,
      async stop() {
        const startedAt = performance.now()
        await listening.drain(drainMs)
        const leftMs = Math.max(0, drainMs - (performance.now() - startedAt))
        await taskboard.close({ drainTimeoutMs: Math.round(leftMs) })
        await listening.ended()
        await opened.close()
      },
    }
  } catch (error) {
    await taskboard.close()
    throw error
  }
}

async function createDemoBoard(
  settings: DemoSettings,
  { opened: { storage, encryptionKey }, logger, print }: Surroundings,
) {
  const { model } = settings
  try {
    return createTaskboard({
      storage,
      agents: await agentsOf(settings),
      prices: model?.price == null ? {} : { [model.name]: model.price },
      webhooks: { allow: settings.webhookAllow },
      notifications: [logChannel(print)],
      ...(await botsOf(settings)),
      secrets: { encryptionKey },
      tokens: { secret: tokenSecretOf(encryptionKey) },
      logger,
    })
  } catch (error) {
    if (isTaskboardError(error, 'INVALID_CONFIG') && error.field === 'webhooks.allow') {
      throw new SettingError(
        'TASKBOARD_WEBHOOK_ALLOW',
        'must list networks or addresses with commas between them, such as 127.0.0.0/8,::1',
      )
    }
    throw error
  }
}

/** Names where a key comes from that is none, or that isn't the key of the stored secrets. */
function refuseKey({ keyPlace }: DemoStorage): (error: unknown) => never {
  return (error) => {
    if (!isTaskboardError(error, 'INVALID_CONFIG') || error.field !== 'secrets.encryptionKey') throw error
    throw new SettingError('TASKBOARD_ENCRYPTION_KEY', `cannot be used (from ${keyPlace}): ${error.message}`)
  }
}

async function agentsOf(settings: DemoSettings): Promise<readonly AgentDefinition[]> {
  if (!settings.runsAgent) return []
  if (settings.model === null) return [checklistAgent(settings)]
  // The SDK takes a tenth of a second to load.
  const { modelAgent } = await import('./model-agent.js')
  return [modelAgent(settings.model)]
}

/** The bot of Telegram, if there is one, and the address that its messages lead to. */
async function botsOf({
  telegram,
  host,
  port,
}: DemoSettings): Promise<Pick<TaskboardOptions, 'bots' | 'publicUrl'>> {
  if (telegram === null) return {}
  const { telegramBot } = await import('@taskboard/bots')
  return { bots: [telegramBot(telegram)], publicUrl: `http://${urlHost(host)}:${port}` }
}

/** Warnings and errors, one line each. The library puts no secrets into them. */
function printingLogger(print: (text: string) => void): Logger {
  const say = (level: string) => (fields: object, message: string) =>
    print(`${new Date().toISOString()} ${level} ${message} ${JSON.stringify(fields, briefly)}`)
  return { ...silentLogger, warn: say('warn'), error: say('error'), fatal: say('fatal') }
}

function briefly(field: string, value: unknown): unknown {
  if (field === 'stack') return undefined
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}

/** Names the setting that made listening fail. */
function toSettingError({ host, port }: DemoSettings): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code === 'EADDRINUSE') throw new SettingError('PORT', `${port} is already in use on ${host}`)
    if (error.code === 'EACCES')
      throw new SettingError('PORT', `${port} requires privileges that this process lacks`)
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EINVAL') {
      throw new SettingError('HOST', `${host} is not an address of this machine`)
    }
    throw error
  }
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** An event of the board in one line of a terminal. Titles are other people's text, so control characters go. */
export function eventLine(event: EventDraft & { readonly at: number }): string {
  const time = new Date(event.at).toISOString()
  return `${time} ${event.type.padEnd(14)} ${describeEvent(event)}`.replaceAll(/\p{C}/gu, '')
}

import { randomBytes } from 'node:crypto'
import {
  createTaskboard,
  scopes,
  type Board,
  type Storage,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { pglitePool, postgresStorage } from '../../postgres/src/index.js'
import { createMigratedPglite } from '../../postgres/test/migrated-pglite.js'
import { type Dashboard, type DashboardOptions, taskboardDashboard } from '../src/index.js'
import { hosts } from './hosts.js'

export interface ServedBoardOptions {
  /** Default `Express`. */
  readonly host?: 'Express' | 'Fastify' | 'the fetch handler' | undefined
  /** Default `memory`. */
  readonly storage?: 'memory' | 'PGlite' | undefined
  readonly mountPath?: string | undefined
  /** `host`: by the cookie `member`. Default `taskboard`. */
  readonly login?: 'taskboard' | 'host' | undefined
  readonly dashboard?: DashboardOptions | undefined
  readonly taskboard?: Partial<TaskboardOptions> | undefined
}

/** A board behind a listening host, with an account and its owner. */
export interface ServedBoard {
  /** With the mount path. */
  readonly url: string
  readonly taskboard: Taskboard
  readonly dashboard: Dashboard
  readonly workspaceId: string
  readonly board: Board
  readonly owner: { readonly email: string; readonly password: string }
  /** Logs the owner in, once. */
  link(): Promise<string>
  close(): Promise<void>
}

/** The value of the cookie by which a host with its own login knows the owner. */
export const MEMBER = 'the-owner'

/** Serves a board as a host does. */
export async function serveBoard(options: ServedBoardOptions = {}): Promise<ServedBoard> {
  const { host: name = 'Express', mountPath = '', login = 'taskboard' } = options
  const opened = await openStorage(options.storage ?? 'memory')
  const owner = { email: 'ada@example.com', password: randomBytes(18).toString('base64url') }
  let accountId = ''
  let workspaceId = ''
  const taskboard = createTaskboard({
    storage: opened.storage,
    logger: false,
    secrets: { encryptionKey: randomBytes(32) },
    ...(login === 'taskboard'
      ? { tokens: { secret: randomBytes(32) } }
      : {
          authenticate: (request) =>
            request.header('cookie')?.includes(`member=${MEMBER}`) !== true
              ? null
              : {
                  id: 'member:ada',
                  kind: 'user' as const,
                  accountId,
                  tier: 'professional' as const,
                  scopes,
                  workspaceIds: 'all' as const,
                  defaultWorkspaceId: workspaceId,
                },
        }),
    ...options.taskboard,
  })
  const made = await taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
  accountId = made.account.id
  workspaceId = made.workspace.id
  const dashboard = taskboardDashboard(taskboard, options.dashboard)
  const kind = hosts.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`no host ${name}`)
  const host = await kind.serve(taskboard, { mountPath, routes: [dashboard] })
  await taskboard.start()
  return {
    url: host.url,
    taskboard,
    dashboard,
    workspaceId,
    board: taskboard.board(workspaceId),
    owner,
    link: () => dashboard.createLoginLink({ email: owner.email, baseUrl: host.url }),
    async close() {
      await taskboard.close()
      await host.close()
      await opened.close()
    },
  }
}

interface OpenedStorage {
  readonly storage: Storage
  close(): Promise<void>
}

async function openStorage(kind: 'memory' | 'PGlite'): Promise<OpenedStorage> {
  if (kind === 'memory') return { storage: memoryStorage(), close: () => Promise.resolve() }
  const pglite = await createMigratedPglite()
  return { storage: postgresStorage({ pool: pglitePool(pglite) }), close: () => pglite.close() }
}

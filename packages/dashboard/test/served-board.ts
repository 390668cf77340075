import { plainPasswordHasher } from '@taskboard/testing'
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
import { pglitePool, postgresStorage } from '@taskboard/postgres'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { type Dashboard, type DashboardOptions, taskboardDashboard } from '../src/index.js'
import { type Host, hosts } from './hosts.js'
import type { Setting } from './setting.js'

/** Default: Express and the memory, at the root, with Taskboard's login. That of the host is by the cookie `member`. */
export interface ServedBoardOptions extends Partial<Setting> {
  readonly dashboard?: DashboardOptions | undefined
  readonly taskboard?: Partial<TaskboardOptions> | undefined
}

/** A board behind a listening host, with an account and its owner. */
export interface ServedBoard {
  /** With the mount path. */
  readonly url: string
  readonly taskboard: Taskboard
  readonly dashboard: Dashboard
  readonly accountId: string
  readonly workspaceId: string
  readonly board: Board
  readonly owner: { readonly email: string; readonly password: string }
  /** Logs the owner in, once. */
  link(): Promise<string>
  /** Ends the server and all its connections. */
  stopServer(): Promise<void>
  /** Serves the same board at the same address again. */
  startServer(): Promise<void>
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
      ? { tokens: { secret: randomBytes(32) }, passwordHasher: plainPasswordHasher }
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
  const serve = (port?: number): Promise<Host> =>
    kind.serve(taskboard, { mountPath, routes: [dashboard], ...(port === undefined ? {} : { port }) })
  let host = await serve()
  await taskboard.start()
  return {
    url: host.url,
    taskboard,
    dashboard,
    accountId,
    workspaceId,
    board: taskboard.board(workspaceId),
    owner,
    link: () => dashboard.createLoginLink({ email: owner.email, baseUrl: host.url }),
    stopServer: () => host.close(),
    async startServer() {
      host = await serve(Number(new URL(host.url).port))
    },
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

/** A new PGlite takes a second: those of boards that ended are emptied, and used again by the next ones of a file. */
const spares: ReturnType<typeof pglitePool>[] = []

async function openStorage(kind: Setting['storage']): Promise<OpenedStorage> {
  if (kind === 'memory') return { storage: memoryStorage(), close: () => Promise.resolve() }
  const pool = spares.pop() ?? pglitePool(await createMigratedPglite())
  return {
    storage: postgresStorage({ pool }),
    async close() {
      await emptyTables(pool)
      spares.push(pool)
    },
  }
}

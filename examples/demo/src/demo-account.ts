import { scopes, type Scope, type Taskboard } from '@taskboard/core'

export interface DemoWorkspace {
  readonly accountId: string
  readonly workspaceId: string
  readonly accountName: string
  /** Whether this is the first run on this storage. */
  readonly isNew: boolean
}

const DAY_MS = 86_400_000

/** The workspace to show: of the oldest account, or of a new account when the storage has none. */
export async function ensureDemo<Tx>({ accounts }: Taskboard<Tx>): Promise<DemoWorkspace> {
  const [account] = await accounts.list({ limit: 1 })
  if (account === undefined) {
    const made = await accounts.create({ name: 'Demo', tier: 'professional' })
    return {
      accountId: made.account.id,
      workspaceId: made.workspace.id,
      accountName: made.account.name,
      isNew: true,
    }
  }
  const [workspace] = await accounts.listWorkspaces(account.id)
  const { id } = workspace ?? (await accounts.createWorkspace(account.id, { name: 'Demo' }))
  return { accountId: account.id, workspaceId: id, accountName: account.name, isNew: false }
}

const WORKER_SCOPES = ['tasks:read', 'tasks:write', 'agents:read'] as const satisfies readonly Scope[]

/** The workspace's oldest agent, or a new one, and a key for a worker of its tasks. The key can't decide approvals. */
export async function ensureWorker<Tx>(
  { accounts, agents }: Taskboard<Tx>,
  workspaceId: string,
): Promise<{ readonly agentId: string; readonly key: string }> {
  const [found] = await agents.list(workspaceId)
  const { id } = found ?? (await agents.create(workspaceId, { name: 'Worker over HTTP', type: 'general' }))
  const expiresAt = Date.now() + DAY_MS
  const { key } = await accounts.createKey({
    workspaceId,
    name: 'worker',
    scopes: [...WORKER_SCOPES],
    expiresAt,
  })
  return { agentId: id, key }
}

/** A key with every scope in one workspace, for 24 hours. It can't be read again later. */
export async function mintDemoKey<Tx>(
  { accounts }: Taskboard<Tx>,
  workspaceId: string,
): Promise<{ readonly key: string; readonly expiresAt: number }> {
  const expiresAt = Date.now() + DAY_MS
  const { key } = await accounts.createKey({
    workspaceId,
    name: 'npm start',
    scopes: [...scopes],
    expiresAt,
  })
  return { key, expiresAt }
}

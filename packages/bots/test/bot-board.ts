import {
  createTaskboard,
  type Principal,
  type Storage,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import { toFetchHandler, type Bot } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, type VirtualClock } from '@taskboard/testing'

/** A started board with bots, on a virtual clock, and its people. */
export interface BotBoard {
  readonly taskboard: Taskboard
  readonly clock: VirtualClock
  readonly storage: Storage
  readonly accountId: string
  readonly workspaceId: string
  readonly ada: Principal
  /** Who people are, by the id of their user: change it to take something from somebody. */
  readonly people: Map<string, Principal>
  readonly handle: (request: Request) => Promise<Response>
  /** Every log line so far. */
  readonly seen: string[]
  addPerson(id: string, change?: Partial<Principal>): Principal
  /** A code that links an account of a messenger to a user. */
  codeFor(person: Principal): Promise<string>
}

/** Opens a board of a host with its own login, runs `work`, and closes it. */
export async function withBots(
  bots: readonly Bot[],
  work: (board: BotBoard) => Promise<void>,
  options: Partial<TaskboardOptions> = {},
): Promise<void> {
  const clock = virtualClock(Date.UTC(2026, 0, 5, 9))
  const people = new Map<string, Principal>()
  const seen: string[] = []
  const note = (fields: object, message: string): void =>
    void seen.push(`${message} ${JSON.stringify(fields)}`)
  const storage = options.storage ?? memoryStorage()
  const taskboard = createTaskboard({
    clock,
    storage,
    bots,
    authenticate: () => null,
    people: { principal: (id) => people.get(id) ?? null },
    publicUrl: 'https://app.example',
    logger: { debug: () => undefined, info: () => undefined, warn: note, error: note, fatal: note },
    ...options,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const addPerson = (id: string, change: Partial<Principal> = {}): Principal => {
    const principal: Principal = {
      id,
      kind: 'user',
      name: id,
      accountId: account.id,
      tier: 'custom',
      scopes: ['tasks:read', 'tasks:write', 'approvals:write', 'account:write'],
      workspaceIds: 'all',
      defaultWorkspaceId: workspace.id,
      ...change,
    }
    people.set(id, principal)
    return principal
  }
  await taskboard.start()
  try {
    await work({
      taskboard,
      clock,
      storage,
      accountId: account.id,
      workspaceId: workspace.id,
      ada: addPerson('ada'),
      people,
      handle: toFetchHandler(taskboard),
      seen,
      addPerson,
      codeFor: async (person) =>
        (await taskboard.services.bots.links.createCode(person, { timeZone: 'Europe/Oslo' })).code,
    })
  } finally {
    await taskboard.close()
  }
}

/** Claims the next task for an agent named Robo. */
export async function claimed({
  taskboard,
  workspaceId,
}: BotBoard): Promise<{ readonly id: string; readonly fencingToken: number }> {
  const agents = await taskboard.agents.list(workspaceId)
  const agentId =
    agents[0]?.id ?? (await taskboard.agents.create(workspaceId, { name: 'Robo', type: 'worker' })).id
  const task = await taskboard.board(workspaceId).claim({ agentId })
  if (task?.lease == null) throw new Error('nothing to claim')
  return { id: task.id, fencingToken: task.lease.fencingToken }
}

import { scopes } from '@taskboard/core'
import { migrate } from '@taskboard/postgres'
import { createServer, type AddressInfo } from 'node:net'
import pg from 'pg'
import type { DatabaseUnderTest } from './database-under-test.js'
import { HOUSE_LIMIT, HOUSE_TYPE, type Role } from './messages.js'
import { openBoard } from './open-board.js'
import type { Receiver } from './receiver.js'

/** The board of a run: what its processes and callers need to know. */
export interface BoardUnderTest {
  readonly workspaceId: string
  /** Of clients and workers, with all scopes. */
  readonly key: string
  /** Of people: who asks for an approval cannot give it. */
  readonly peopleKey: string
  /** Of a client that asks for more than it may. */
  readonly limitedKey: string
  /** Where the two API processes are, in every life. */
  readonly baseUrls: readonly string[]
  readonly roles: readonly { readonly name: string; readonly role: Role }[]
}

const SCHEDULES = 5
const EVENTS = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'approval.requested',
  'approval.decided',
] as const
const SECRETS = ['one-secret', 'another-secret']
const OCCURRENCE = {
  workMs: 5,
  failures: 0,
  logs: false,
  uses: false,
  asks: false,
  needsApproval: false,
  completes: false,
}

async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer())
  await Promise.all(
    probes.map((probe) => new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))),
  )
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}

/** Creates the account with its agents, webhooks and schedules, before any fault. */
export async function setUpBoard(database: DatabaseUnderTest, receiver: Receiver): Promise<BoardUnderTest> {
  const admin = new pg.Pool({ connectionString: database.adminUrl(), max: 1 })
  await migrate(admin)
  await admin.end()
  const { taskboard, close } = openBoard(database.adminUrl())
  const { account, workspace } = await taskboard.accounts.create({ name: 'Faults', tier: 'custom' })
  const keyFor = (name: string) =>
    taskboard.accounts.createKey({ accountId: account.id, name, scopes: [...scopes] })
  const { key } = await keyFor('load')
  const { key: peopleKey } = await keyFor('people')
  const { key: limitedKey } = await keyFor('limited')
  await taskboard.agents.create(workspace.id, { name: 'House', type: HOUSE_TYPE, maxConcurrent: HOUSE_LIMIT })
  const remote = await Promise.all(
    ['Remote 1', 'Remote 2'].map((name) => taskboard.agents.create(workspace.id, { name, type: 'remote' })),
  )
  for (const secret of SECRETS) {
    const url = receiver.urlOf(secret)
    await taskboard.webhooks.register(workspace.id, { url, events: [...EVENTS], secret })
  }
  for (let n = 1; n <= SCHEDULES; n += 1)
    // Its own times are far away: the controller makes it due.
    await taskboard.board(workspace.id).schedules.create({
      cron: '0 0 1 1 *',
      overlap: 'allow',
      task: { title: `schedule ${n}`, metadata: { script: JSON.stringify(OCCURRENCE) } },
    })
  await close()
  const ports = await freePorts(2)
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  const frameworks = ['express', 'fastify'] as const
  return {
    workspaceId: workspace.id,
    key,
    peopleKey,
    limitedKey,
    baseUrls,
    roles: [
      ...frameworks.map((framework, n) => ({
        name: framework,
        role: { kind: 'api', framework, port: ports[n] ?? 0 } as const,
      })),
      ...[1, 2].map((n) => ({ name: `agent-${n}`, role: { kind: 'agent', type: HOUSE_TYPE } as const })),
      ...remote.map(({ id: agentId }, n) => ({
        name: `worker-${n + 1}`,
        role: { kind: 'worker', baseUrl: baseUrls[n] ?? '', key, agentId } as const,
      })),
      ...[1, 2].map((n) => ({ name: `deliverer-${n}`, role: { kind: 'deliverer' } as const })),
    ],
  }
}

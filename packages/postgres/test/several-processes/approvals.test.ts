import type { Approval } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { scripted } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const ROUNDS = Number(process.env['DECIDED_APPROVALS'] ?? 10)
const approval = { action: 'refund', summary: 'Refund 20 EUR to Ada', input: { order: 7, cents: 2_000 } }

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.taskboard.close()
  await board.database.drop()
})

async function approvalsOf(taskId: string): Promise<readonly Approval[]> {
  const reach = { accountId: board.accountId, workspaceIds: 'all' } as const
  return (await board.taskboard.approvals.search(reach, { taskId })).approvals
}

async function pendingOf(taskId: string): Promise<Approval> {
  const [pending] = await until(
    async () => (await approvalsOf(taskId)).filter(({ status }) => status === 'pending'),
    (found) => found.length > 0,
  )
  return pending as Approval
}

describe('an approval', { timeout: 60_000 }, () => {
  it('is used once also when the process is killed right after using it', async () => {
    const { taskboard, workspaceId, database } = board
    const agent = { concurrency: 1, leaseMs: 1_000, waits: true }
    const start = () => startProcess({ databaseUrl: database.url, agent, isStarted: true })
    const tasks = taskboard.board(workspaceId)
    const { id } = await tasks.add({ title: 'refund', ...scripted({ approval }) })

    const first = start()
    const asked = await pendingOf(id)
    await tasks.decide(asked.id, { decision: 'approved' })
    const { fencingToken } = await first.reported('running')
    await first.kill()

    const second = start()
    const again = await pendingOf(id)
    expect(again).toMatchObject({ action: asked.action, inputDigest: asked.inputDigest })
    expect(again.id).not.toBe(asked.id)
    expect(again.fencingToken).toBeGreaterThan(fencingToken)
    expect(second.has('running')).toBe(false)
    expect((await approvalsOf(id)).map(({ status }) => status)).toEqual(['pending', 'used'])

    await tasks.decide(again.id, { decision: 'approved' })
    await second.reported('running')
    expect((await approvalsOf(id)).map(({ status }) => status)).toEqual(['used', 'used'])
    await second.kill()
  })

  it('is decided once by two people at once over two processes', async () => {
    const { taskboard, workspaceId, accountId, database, rows } = board
    const processes = [1, 2].map(() => startProcess({ databaseUrl: database.url, agent: null }))
    const urls = await Promise.all(processes.map(async (each) => (await each.reported('ready')).url))
    const keys = await Promise.all(
      urls.map((_, n) =>
        taskboard.accounts.createKey({ accountId, name: `person ${n}`, scopes: ['approvals:write'] }),
      ),
    )
    const tasks = taskboard.board(workspaceId)
    const [agent] = await taskboard.agents.list(workspaceId)
    const firsts = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await tasks.add({ title: `refund ${round}` })
      const claimed = await tasks.claim({ agentId: agent?.id ?? '' })
      const fencingToken = claimed?.lease?.fencingToken ?? -1
      const asked = await tasks.requestApproval(id, { ...approval, fencingToken })
      const decisions = ['approved', 'rejected'] as const
      const answers = await Promise.all(
        urls.map((url, n) =>
          fetch(new URL(`/v2/approvals/${asked.approval.id}/decision`, url), {
            method: 'POST',
            headers: {
              authorization: `Bearer ${keys[n]?.key}`,
              'content-type': 'application/json',
              'x-api-version': '2',
            },
            body: JSON.stringify({ decision: decisions[(n + round) % 2], comment: `by ${n}` }),
          }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
      const winner = answers.findIndex(({ status }) => status === 200)
      const [decided] = await approvalsOf(id)
      expect(decided).toMatchObject({ status: decisions[(winner + round) % 2], comment: `by ${winner}` })
      firsts.add(`${winner}`)
      await tasks.move(id, 'DONE')
    }
    expect(
      await rows(`select type, count(*)::int4 as n from taskboard.event
      where type in ('approval.decided', 'task.released') group by type order by type`),
    ).toEqual([
      { type: 'approval.decided', n: ROUNDS },
      { type: 'task.released', n: ROUNDS },
    ])
    await Promise.all(processes.map((process) => process.close()))
  })
})

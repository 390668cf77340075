import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHost, type GraphqlHost } from '../test/graphql-host.js'

let host: GraphqlHost
beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** A task under a claim. */
async function claimed() {
  const { taskboard, workspaceId } = host
  const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
  const board = taskboard.board(workspaceId)
  const { id } = await board.add({ title: 'Refund', assignedTo: agent.id })
  const task = await board.claim({ agentId: agent.id })
  return { id, token: task?.lease?.fencingToken ?? 0 }
}

describe('an approval', () => {
  it('is never asked for a call of a tool', async () => {
    const asked = 'fencingToken: $token, action: "tool:refund", summary: "Harmless"'
    const { errors } = await host.query(
      `mutation ($id: ID!, $token: Int!) { requestApproval(id: $id, input: {${asked}}) { outcome } }`,
      await claimed(),
      await host.makeKey(['tasks:read', 'tasks:write']),
    )
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details: { field: 'action' } } }])
  })

  it('has a short digest, and is decided by who saw it', async () => {
    const { data } = await host.query(
      `mutation ($id: ID!, $token: Int!) {
        requestApproval(id: $id, input: {fencingToken: $token, action: "refund", summary: "Refund", inputJson: "{}", requireOtherPerson: true}) {
          approval { id asker requireOtherPerson inputDigest shortDigest }
        }
      }`,
      await claimed(),
      await host.makeKey(['tasks:read', 'tasks:write']),
    )
    const asked = data as { requestApproval: { approval: Record<string, string> } }
    const { approval } = asked.requestApproval
    const { id = '', inputDigest = '', shortDigest = '' } = approval
    expect(approval).toMatchObject({ asker: 'CREDENTIAL', requireOtherPerson: true })
    const account = await host.query('{ account { requireOtherPerson } }')
    expect(account.data).toEqual({ account: { requireOtherPerson: false } })
    expect(shortDigest).toMatch(/^[\da-f]{4}-[\da-f]{4}-[\da-f]{4}$/)
    expect(inputDigest.startsWith(shortDigest.replaceAll('-', ''))).toBe(true)
    const person = await host.makeKey(['tasks:read', 'approvals:write'])
    const decide = (digest: string) =>
      host.query(
        'mutation ($id: ID!, $digest: String!) { decideApproval(id: $id, decision: APPROVED, digest: $digest) { status } }',
        { id, digest },
        person,
      )
    expect((await decide('0000-0000-0000')).errors).toMatchObject([
      { extensions: { code: 'CONFLICT', details: { field: 'digest' } } },
    ])
    expect((await decide(shortDigest)).data).toEqual({ decideApproval: { status: 'APPROVED' } })
  })
})

describe('a report of usage', () => {
  const report = (fencingToken: number | null, costUsd = 0) =>
    `mutation ($id: ID!) {
      reportTaskUsage(id: $id, input: {fencingToken: ${fencingToken}, model: "small", inputTokens: 1, outputTokens: 1, costUsd: ${costUsd}}) { spent }
    }`

  it('without a claim needs agents:write', async () => {
    const { id, token } = await claimed()
    const worker = await host.makeKey(['tasks:read', 'tasks:write'])
    const accountant = await host.makeKey(['tasks:write', 'agents:write'])
    const { errors } = await host.query(report(null), { id }, worker)
    expect(errors).toMatchObject([{ extensions: { code: 'AUTHORIZATION_FAILED' } }])
    expect((await host.query(report(token), { id }, worker)).errors).toEqual([])
    expect((await host.query(report(null), { id }, accountant)).errors).toEqual([])
  })

  it('names the field that is too large', async () => {
    const { id, token } = await claimed()
    const { errors } = await host.query(report(token, 101), { id })
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details: { field: 'costUsd' } } }])
  })
})

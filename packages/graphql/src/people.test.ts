import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHost, type GraphqlHost } from '../test/graphql-host.js'

let host: GraphqlHost
beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const by = 'takenBy { kind id name }'
const complete = 'completeTask(id: $id, input: {result: "mended"}) { status progress }'
const mutation = (field: string, id: string) => host.query(`mutation ($id: ID!) { ${field} }`, { id })

describe('a task that a person completes', () => {
  it('has the result, and shows who that was', async () => {
    const { id } = await host.taskboard.board(host.workspaceId).add({ title: 'By hand' })
    const { data } = await mutation(complete, id)
    expect(data).toEqual({ completeTask: { status: 'COMPLETED', progress: 100 } })
    const shown = await host.query(`query ($id: ID!) { task(id: $id) { result ${by} } }`, { id })
    const takenBy = {
      kind: 'API_KEY',
      id: expect.stringMatching(/^ak_/) as string,
      name: expect.stringMatching(/./) as string,
    }
    expect(shown.data).toEqual({ task: { result: 'mended', takenBy } })
  })

  it('is not one that an agent has, unless the person takes it over', async () => {
    const board = host.taskboard.board(host.workspaceId)
    const agent = await host.taskboard.agents.create(host.workspaceId, { name: 'Busy', type: 'busy' })
    const { id } = await board.add({ title: 'Of an agent', assignedTo: agent.id })
    await board.claim({ agentId: agent.id })
    const { errors } = await mutation(complete, id)
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT', details: { field: 'takeOver' } } }])
    const taking = 'completeTask(id: $id, input: {result: "mine", takeOver: true}) { status }'
    expect((await mutation(taking, id)).data).toEqual({ completeTask: { status: 'COMPLETED' } })
    expect((await board.get(id)).result).toBe('mine')
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { call, connect, refused, versions } from '../test/mcp-client.js'
import { type McpHost, mounts, serveMcp } from '../test/mcp-host.js'
import { workThrough } from '../test/story.js'

let host: McpHost
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  await host.close()
})

describe.each(mounts)('an agent with the tools alone, on %s', (_, mount) => {
  it.each(versions)(
    'claims, asks, is answered, has an action approved and completes, by %s',
    async (version) => {
      host = await serveMcp({ mount })
      client = await connect(host.url, host.workerKey, { version })
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      await workThrough(client, host)
    },
  )
})

describe('the endpoint', () => {
  it('refuses a run that another claim has superseded', async () => {
    host = await serveMcp()
    client = await connect(host.url, host.workerKey)
    const { id } = await host.board.add({ title: 'Translate' })
    const { run } = await call(client, 'claim_task', { agent_id: host.agentId })
    await host.board.move(id, 'TODO')
    const again = await call(client, 'claim_task', { agent_id: host.agentId })
    expect(again['run']).not.toBe(run)
    expect(await refused(client, 'complete_task', { run, result: 'late' })).toMatchObject({
      code: 'CONFLICT',
    })
    await call(client, 'complete_task', { run: again['run'], result: 'in time' })
    expect(await host.board.get(id)).toMatchObject({ result: 'in time' })
  })
})

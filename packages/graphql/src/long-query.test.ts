import { describe, expect, it } from 'vitest'
import { openHost } from '../test/graphql-host.js'
import { taskboardGraphql } from './graphql-route.js'

describe('a query string', () => {
  it('of more than 65,536 characters is refused before it is parsed', async () => {
    const open = await openHost()
    const { handle } = taskboardGraphql(open.taskboard)
    const request = {
      method: 'GET',
      path: '/v2/graphql',
      params: {},
      header: (name: string) => (name === 'authorization' ? `Bearer ${open.key}` : undefined),
      clientAddress: '192.0.2.1',
      body: { kind: 'none' },
    } as const
    const query = 'query={__typename}&variables='
    const statusOf = async (length: number) =>
      (await handle({ ...request, query: query.padEnd(length, ' ') })).status
    expect(await statusOf(65_537)).toBe(413)
    expect(await statusOf(65_536)).not.toBe(413)
    await open.close()
  })
})

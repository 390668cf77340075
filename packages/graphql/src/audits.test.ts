import { serverAudits } from 'graphql-http'
import { afterAll, describe, expect, it } from 'vitest'
import { mountOnExpress, mountOnFastify, openHost } from '../test/graphql-host.js'

describe.each([
  ['Express', mountOnExpress],
  ['Fastify', mountOnFastify],
])('GraphQL over HTTP on %s', async (_, mount) => {
  const host = await openHost(mount)
  afterAll(() => host.close())
  const audits = serverAudits({
    url: host.url,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${host.key}`)
      return fetch(url, { ...init, headers })
    },
  })

  it.each(audits)('$name', async ({ fn }) => {
    const result = await fn()
    expect(result).toMatchObject({ status: 'ok' })
  })
})

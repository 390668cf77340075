import { createTaskboard } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { type McpOptions, taskboardMcp } from './index.js'

const DOCUMENT = '/.well-known/oauth-protected-resource/mcp'
const authorizationServers = ['https://login.example']

const closing: (() => Promise<void>)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

/** Asks for the document, and for the endpoint without a credential, by any host name. */
function serve(options: McpOptions) {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  closing.push(() => taskboard.close())
  const handle = toFetchHandler(taskboard, { routes: [taskboardMcp(taskboard, options)] })
  return async (origin: string) => {
    const [published, refused] = await Promise.all([
      handle(new Request(origin + DOCUMENT, { headers: { host: new URL(origin).host } })),
      handle(
        new Request(`${origin}/mcp`, { method: 'POST', headers: { host: new URL(origin).host }, body: '{}' }),
      ),
    ])
    return { published, challenge: refused.headers.get('www-authenticate'), status: refused.status }
  }
}

describe('the metadata of the endpoint as a protected resource', () => {
  it('names the resource of the option, whatever host name a request has', async () => {
    const ask = serve({ authorizationServers, resource: 'https://board.example/mcp' })
    for (const origin of ['https://board.example', 'https://evil.example']) {
      const { published, challenge, status } = await ask(origin)
      expect(await published.json()).toMatchObject({ resource: 'https://board.example/mcp' })
      expect(published.headers.get('cache-control')).toBe('no-store')
      expect([status, challenge]).toEqual([
        401,
        `Bearer resource_metadata="https://board.example${DOCUMENT}"`,
      ])
    }
  })

  it('follows a host name that the host lists, and is refused for any other', async () => {
    const ask = serve({ authorizationServers, allowedHosts: ['board.example', 'other.example'] })
    for (const host of ['board.example', 'other.example']) {
      const { published, challenge } = await ask(`https://${host}`)
      expect(await published.json()).toMatchObject({ resource: `https://${host}/mcp` })
      expect(challenge).toBe(`Bearer resource_metadata="https://${host}${DOCUMENT}"`)
    }
    const { published, challenge, status } = await ask('https://evil.example')
    expect([published.status, status, challenge]).toEqual([403, 403, null])
    expect(await published.text()).not.toContain('evil.example')
  })

  it('requires the resource or the host names', () => {
    expect(() => serve({ authorizationServers })).toThrow(
      'resource or allowedHosts is required with authorizationServers',
    )
    for (const resource of ['/mcp', 'ftp://board.example/mcp', 'https://board.example/mcp#here']) {
      expect(() => serve({ authorizationServers, resource })).toThrow('resource must be')
    }
  })
})

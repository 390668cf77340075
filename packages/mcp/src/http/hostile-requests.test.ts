import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpHost, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { requestText, send } from '../../test/raw-requests.js'

const list = requestText('tools/list')
const call = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${args}}}`
const modern = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })

/** A request that must be refused: its body, its answer, and what else it has. */
type Case = readonly [string, string | undefined, readonly [number, number], Parameters<typeof send>[2]?]

const cases: readonly Case[] = [
  ['no body', '', [400, -32600]],
  ['broken JSON', '{"jsonrpc":', [400, -32700]],
  ['a batch', `[${list},${list}]`, [400, -32700]],
  ['a text', '"tools/list"', [400, -32700]],
  ['JSON nested 100,000 deep', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, [400, -32700]],
  ['arguments nested too deep', call(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`), [400, -32700]],
  ['more than the limit of bytes', call(`{"title":"${'x'.repeat(2 ** 20)}"}`), [413, -32000]],
  ['no message', '{}', [400, -32600]],
  ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', [400, -32600]],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', [400, -32600]],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}', [400, -32600]],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', [400, -32600]],
  ['plain text', list, [415, -32000], { headers: { 'content-type': 'text/plain' } }],
  ['a form', list, [415, -32000], { headers: { 'content-type': 'multipart/form-data' } }],
  [
    'another charset',
    list,
    [415, -32000],
    { headers: { 'content-type': 'application/json; charset=latin1' } },
  ],
  ['a compressed body', list, [415, -32000], { headers: { 'content-encoding': 'gzip' } }],
  ['an unknown version', list, [400, -32020], { headers: { 'mcp-protocol-version': '1999-01-01' } }],
  [
    'a version of the future',
    list.replace('2026-07-28', '2099-01-01'),
    [400, -32022],
    { headers: { 'mcp-protocol-version': '2099-01-01' } },
  ],
  ['a method unlike its header', list, [400, -32020], { headers: modern('tools/call') }],
  ['an unknown method', requestText('tasks/steal'), [404, -32601], { headers: modern('tasks/steal') }],
  ['the method __proto__', requestText('__proto__'), [404, -32601], { headers: modern('__proto__') }],
  ['GET', undefined, [405, -32000], { method: 'GET' }],
  ['DELETE', undefined, [405, -32000], { method: 'DELETE' }],
  ['PUT', list, [405, -32000], { method: 'PUT' }],
  [
    'an unknown set of tools',
    list,
    [400, -32602],
    { path: '/mcp?tools=wroker', headers: modern('tools/list') },
  ],
  ['no set of tools', list, [400, -32602], { path: '/mcp?tools=', headers: modern('tools/list') }],
  ['a page of another origin', list, [403, -32000], { headers: { origin: 'http://evil.example' } }],
  ['a page without an origin', list, [403, -32000], { headers: { origin: 'null' } }],
  ['a wrong key', list, [401, -32000], { key: 'tb_wrong' }],
]

const named = cases.map(([name, body, refused, sent]) => ({ name, body, refused, sent }))

describe.each(mounts)('a hostile request, on %s', (_, mount) => {
  let host: McpHost
  beforeAll(async () => {
    host = await serveMcp({ mount })
  })
  afterAll(() => host.close())

  it.each(named)('is refused: $name', async ({ body, refused: [status, code], sent }) => {
    const response = await send(host, body, sent)
    const text = await response.text()
    expect([response.status, (JSON.parse(text) as { error: { code: number } }).error.code]).toEqual([
      status,
      code,
    ])
    expect(text).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(|\bselect\b.*\bfrom\b/i)
    expect((await send(host, list, { headers: modern('tools/list') })).status).toBe(200)
  })

  it('does nothing as a notification', async () => {
    const text = call('{"title":"Unasked"}').replace('"id":1,', '')
    expect((await send(host, text)).status).toBe(202)
    expect((await host.board.list('TODO')).tasks).toEqual([])
  })

  it.each(['["x"]', '"x"', 'null', '7'])('is answered with invalid params: arguments %s', async (args) => {
    expect(await (await send(host, call(args))).text()).toContain('"code":-32602')
  })

  it('shortens long addresses and names in errors', async () => {
    const long = 'x'.repeat(100_000)
    const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"task://${long}"}}`
    expect((await (await send(host, read)).text()).length).toBeLessThan(1_000)
    const tool = call('{}').replace('create_task', long)
    expect((await (await send(host, tool)).text()).length).toBeLessThan(1_000)
  })

  it('has all members of prototypes refused or left out', async () => {
    await (await send(host, call('{"title":"Kept","__proto__":{"title":"polluted"}}'))).text()
    expect((await host.board.list('TODO')).tasks.map(({ title }) => title)).toEqual(['Kept'])
    expect(({} as { title?: string }).title).toBeUndefined()
    const answer = await (await send(host, call('{"title":"x","constructor":{"prototype":{}}}'))).text()
    expect(answer).toContain('constructor is not a field')
  })
})

describe('a caller beyond the rate of its account', () => {
  it('is refused as on the REST API', async () => {
    const host = await serveMcp({ board: { tiers: { professional: { burstPerMinute: 2 } } } })
    try {
      const { account } = await host.taskboard.accounts.create({ name: 'Small', tier: 'professional' })
      const made = { accountId: account.id, name: 'key', scopes: ['tasks:read' as const] }
      const { key } = await host.taskboard.accounts.createKey(made)
      for (const expected of [200, 200, 429]) {
        const response = await send(host, list, { key, headers: modern('tools/list') })
        expect(response.status).toBe(expected)
        if (expected === 200) continue
        const rest = await fetch(`${host.url}/v2/tasks`, { headers: { authorization: `Bearer ${key}` } })
        expect(rest.status).toBe(429)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        const { error } = (await rest.json()) as { readonly error: { readonly code: string } }
        expect(await response.json()).toMatchObject({
          error: { code: -32000, data: { error: { code: error.code } } },
        })
      }
    } finally {
      await host.close()
    }
  })
})

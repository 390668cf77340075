import { plainPasswordHasher } from '@taskboard/testing'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../environment/index.js'
import { toFetchHandler } from '../http/index.js'
import type { CredentialRequest } from '../wiring/transport-services.js'
import { createTaskboard } from '../wiring/taskboard.js'
import type { Principal } from './principal.js'

const ofHost: Principal = {
  id: 'someone',
  kind: 'user',
  accountId: 'acct_1',
  tier: 'custom',
  scopes: [],
  workspaceIds: 'all',
  defaultWorkspaceId: 'ws_1',
}

describe('a host with its own login', () => {
  it('is asked about every credential that is not an API key', async () => {
    const asked: (string | undefined)[] = []
    const board = createTaskboard({
      storage: memoryStorage(),
      authenticate(request) {
        asked.push(request.header('authorization'))
        return ofHost
      },
    })
    const { account } = await board.accounts.create({ name: 'Ada', tier: 'custom' })
    const { id, key } = await board.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: ['chat:write'],
    })
    const ask = (authorization: string | undefined) =>
      board.services.authenticate({
        method: 'GET',
        path: '/',
        clientAddress: '::1',
        header: () => authorization,
      })
    expect(await ask(`Bearer ${key}`)).toMatchObject({ id, kind: 'api_key' })
    for (const other of [undefined, 'Bearer a.b.c', `Bearer ${key.slice(1)}`, `Basic ${key}`]) {
      expect(await ask(other)).toBe(ofHost)
    }
    expect(asked).toEqual([undefined, 'Bearer a.b.c', `Bearer ${key.slice(1)}`, `Basic ${key}`])
    expect(board.services.login).toBeNull()
  })

  it('receives the request of the framework, here that of the Web', async () => {
    const seen: unknown[] = []
    const authenticate = ({ raw, isConnection }: CredentialRequest) => {
      seen.push(raw, isConnection)
      return null
    }
    const handle = toFetchHandler(createTaskboard({ storage: memoryStorage(), authenticate }))
    const request = new Request('http://host/v2/tasks')
    expect((await handle(request)).status).toBe(401)
    expect(seen[0]).toBe(request)
    expect(seen[1]).toBeUndefined()
  })

  it.each(['', 'two\nlines', 'x'.repeat(257), '\u202eadA'])('has no principal named %j', async (name) => {
    const named = { ...ofHost, name }
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'name' })
    for (const authenticate of [() => named, async () => named]) {
      const { services } = createTaskboard({ storage: memoryStorage(), authenticate })
      const asked = { method: 'GET', path: '/', clientAddress: '::1', header: () => undefined }
      await expect((async () => services.authenticate(asked))()).rejects.toEqual(refusal)
    }
  })

  it.each([
    ['id', undefined],
    ['id', 7],
    ['kind', 'person'],
    ['accountId', ''],
    ['tier', 'gold'],
    ['scopes', undefined],
    ['scopes', ['tasks:read', 'everything']],
    ['workspaceIds', 'some'],
    ['workspaceIds', [7]],
    ['defaultWorkspaceId', null],
  ])('has no principal whose %s is %j', async (field, value) => {
    const authenticate = () => ({ ...ofHost, [field]: value })
    const logged: string[] = []
    const logger = {
      ...silentLogger,
      error: ({ err }: { err?: Error }) => void logged.push(err?.message ?? ''),
    }
    const handle = toFetchHandler(createTaskboard({ storage: memoryStorage(), authenticate, logger }))
    expect((await handle(new Request('http://host/v2/tasks'))).status).toBe(500)
    expect(logged).toEqual([expect.stringContaining(`the ${field} of the principal`)])
  })

  it('may say undefined for a stranger', async () => {
    const sessions = new Map<string, Principal>()
    const authenticate = (() => sessions.get('none')) as unknown as () => null
    const handle = toFetchHandler(createTaskboard({ storage: memoryStorage(), authenticate, logger: false }))
    for (const path of ['/v2/tasks', '/api/board?action=todo'])
      expect((await handle(new Request(`http://host${path}`))).status).toBe(401)
  })

  it.each(['Ada', 'Zoë 🧑‍💻', 'علی\u200cرضا', 'ada@example.com', null, undefined])(
    'may have a principal named %j',
    async (name) => {
      const named = { ...ofHost, name }
      const { services } = createTaskboard({ storage: memoryStorage(), authenticate: () => named })
      const asked = { method: 'GET', path: '/', clientAddress: '::1', header: () => undefined }
      expect(await services.authenticate(asked)).toBe(named)
    },
  )

  it('keeps a caller out of a default workspace that is beyond its reach', async () => {
    let caller = ofHost
    const board = createTaskboard({ storage: memoryStorage(), authenticate: () => caller })
    const { account, workspace } = await board.accounts.create({ name: 'Ada', tier: 'custom' })
    const second = await board.accounts.createWorkspace(account.id, { name: 'second' })
    const handle = toFetchHandler(board)
    const statusOf = async (workspaceIds: readonly string[]) => {
      const scopes = ['webhooks:read', 'account:read'] as const
      caller = { ...ofHost, accountId: account.id, defaultWorkspaceId: second.id, workspaceIds, scopes }
      const paths = ['/v2/webhooks', `/v2/workspaces/${second.id}`]
      return Promise.all(paths.map(async (path) => (await handle(new Request(`http://host${path}`))).status))
    }
    expect(await statusOf([workspace.id])).toEqual([404, 404])
    expect(await statusOf([workspace.id, second.id])).toEqual([200, 200])
  })

  it('replaces the login of the board', async () => {
    const options = {
      storage: memoryStorage(),
      authenticate: () => ofHost,
      tokens: { secret: 's'.repeat(32) },
      passwordHasher: plainPasswordHasher,
    }
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'tokens' })
    expect(() => createTaskboard(options)).toThrow(refusal)
  })
})

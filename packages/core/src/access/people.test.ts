import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { TaskboardOptions } from '../wiring/taskboard-options.js'
import type { PeopleOptions } from './people.js'
import type { Principal } from './principal.js'

const tokens = { secret: 'x'.repeat(32) }
const password = 'correct horse battery'

function boardWith(options: Partial<TaskboardOptions>) {
  return createTaskboard({
    storage: memoryStorage(),
    passwordHasher: plainPasswordHasher,
    logger: false,
    ...options,
  })
}

async function withLogin() {
  const { accounts, services } = boardWith({ tokens })
  const owner = { email: 'ada@acme.example', password, emailVerified: true }
  const { account, workspace, user } = await accounts.create({ name: 'Acme', tier: 'professional', owner })
  return { accounts, people: services.people, account, workspace, userId: user?.id ?? '' }
}

describe('people of Taskboard’s login', () => {
  it('are who they are at the moment of the question', async () => {
    const { accounts, people, account, workspace, userId } = await withLogin()
    const { id } = await accounts.createUser(account.id, { email: 'bea@acme.example', password })
    const may = { workspaceId: workspace.id, scope: 'approvals:write' } as const
    expect(await people.requireMay(id, may)).toMatchObject({ id, kind: 'user', name: 'bea@acme.example' })
    await accounts.setRole(account.id, id, 'viewer')
    await expect(people.requireMay(id, may)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'this person lacks the scope approvals:write',
    })
    await accounts.deleteUser(id)
    expect(await people.principal(id)).toBeNull()
    await expect(people.requireMay(id, may)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await accounts.delete(account.id)
    expect(await people.principal(userId)).toBeNull()
  })

  it('do nothing in the workspaces of other accounts', async () => {
    const { accounts, people, userId } = await withLogin()
    const { workspace } = await accounts.create({ name: 'Other', tier: 'professional' })
    const elsewhere = { workspaceId: workspace.id, scope: 'tasks:read' } as const
    await expect(people.requireMay(userId, elsewhere)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'this person has no access here any more',
    })
  })

  it('are found in their account by id and address, which counts when it is known to be theirs', async () => {
    const { accounts, people, account, userId } = await withLogin()
    const ada = { id: userId, email: 'ada@acme.example' }
    expect(await people.find(account.id, userId)).toEqual(ada)
    expect(await people.find(account.id, ' Ada@ACME.example')).toEqual(ada)
    const { account: other } = await accounts.create({ name: 'Other', tier: 'professional' })
    for (const text of [userId, ada.email]) expect(await people.find(other.id, text)).toBeNull()
    for (const text of ['user_none', 'eve@acme.example', '', '\0', '\ud800'])
      expect(await people.find(account.id, text)).toBeNull()
    await accounts.setEmailVerified(userId, false)
    expect(await people.find(account.id, userId)).toEqual({ id: userId, email: null })
    const mistaken = accounts.setEmailVerified(userId, 'yes' as unknown as boolean)
    await expect(mistaken).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'emailVerified' })
  })
})

describe('people of the host', () => {
  const ada: Principal = {
    id: 'ada',
    kind: 'user',
    accountId: 'set below',
    tier: 'professional',
    scopes: ['tasks:read'],
    workspaceIds: 'all',
    defaultWorkspaceId: 'set below',
  }

  async function withHost(people: (own: Principal) => PeopleOptions) {
    const storage = memoryStorage()
    let own = ada
    const { accounts, services } = boardWith({
      storage,
      authenticate: () => null,
      people: {
        principal: (id) => people(own).principal(id),
        find: (accountId, text) => people(own).find?.(accountId, text) ?? null,
      },
    })
    const { account, workspace } = await accounts.create({ name: 'Acme', tier: 'professional' })
    own = { ...ada, accountId: account.id, defaultWorkspaceId: workspace.id }
    return { accounts, people: services.people, account, workspace, may: { workspaceId: workspace.id } }
  }

  it('are asked for each time', async () => {
    let answers = 0
    const { people, may } = await withHost((own) => ({
      principal: async () => (answers++ < 2 ? own : null),
    }))
    for (let i = 0; i < 2; i++)
      expect(await people.requireMay('ada', { ...may, scope: 'tasks:read' })).toMatchObject({ id: 'ada' })
    await expect(people.requireMay('ada', { ...may, scope: 'tasks:read' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  it.each<readonly [string, (own: Principal) => Principal | null | undefined]>([
    ['nobody', () => null],
    ['undefined', () => undefined],
    ['another person', (own) => ({ ...own, id: 'eve' })],
    ['a key', (own) => ({ ...own, kind: 'api_key' })],
    ['somebody of another account', (own) => ({ ...own, accountId: 'acct_other' })],
    ['somebody without the workspace', (own) => ({ ...own, workspaceIds: ['ws_other'] })],
    ['somebody without the scope', (own) => ({ ...own, scopes: ['agents:read'] })],
  ])('may nothing as %s', async (_, answer) => {
    const { people, may } = await withHost((own) => ({ principal: () => answer(own) as Principal }))
    const asked = people.requireMay('ada', { ...may, scope: 'tasks:read' })
    await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('are refused when the host cannot say who they are, or says it wrongly', async () => {
    const failing = await withHost(() => ({ principal: () => Promise.reject(new Error('down')) }))
    await expect(failing.people.principal('ada')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    const wrong = await withHost((own) => ({ principal: () => ({ ...own, tier: 'gold' }) as never }))
    await expect(wrong.people.principal('ada')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'tier',
      message: expect.stringContaining('people.principal') as string,
    })
  })

  it('are found by what the host says, without an address unless it names one', async () => {
    const answers: unknown[] = [
      { id: 'ada' },
      { id: 'ada', email: 'a@b.example' },
      null,
      undefined,
      {},
      'ada',
    ]
    const { people } = await withHost((own) => ({
      principal: () => own,
      find: () => answers.shift() as null,
    }))
    expect(await people.find('acct', 'ada')).toEqual({ id: 'ada', email: null })
    expect(await people.find('acct', 'ada')).toEqual({ id: 'ada', email: 'a@b.example' })
    for (let i = 0; i < 2; i++) expect(await people.find('acct', 'ada')).toBeNull()
    for (let i = 0; i < 2; i++)
      await expect(people.find('acct', 'ada')).rejects.toMatchObject({ field: 'people.find' })
  })

  it('are nobody’s without the option', async () => {
    const { services } = boardWith({ authenticate: () => null })
    const refused = { code: 'INVALID_CONFIG', field: 'people' }
    expect(() => services.people.requireKnown('bots')).toThrow(/^people is required for bots/)
    await expect(services.people.principal('ada')).rejects.toMatchObject(refused)
    await expect(services.people.find('acct', 'ada')).rejects.toMatchObject(refused)
  })

  it.each<readonly [string, unknown, Partial<TaskboardOptions>]>([
    ['people', { principal: () => null }, { tokens }],
    ['people.principal', {}, {}],
    ['people.find', { principal: () => null, find: 'ada' }, {}],
    ['people.finds', { principal: () => null, finds: () => null }, {}],
  ])('are refused with a wrong %s', (field, people, others) => {
    const options = { ...others, people: people as PeopleOptions }
    expect(() => boardWith(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field }) as Error,
    )
  })
})

import { createHash } from 'node:crypto'
import { createTaskboard, TaskboardError, type NewCredential } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import { expect, it } from 'vitest'

const PASSWORD = 'correct horse battery'

async function setUp(onCredential: (made: NewCredential) => void | Promise<void>) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    passwordHasher: plainPasswordHasher,
    tokens: { secret: 's'.repeat(32) },
    onCredential,
  })
  const { account } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  return { taskboard, accountId: account.id }
}

it('tells the host of each key and user, with what callers show', async () => {
  const made: NewCredential[] = []
  const { taskboard, accountId } = await setUp((credential) => void made.push(credential))
  const heard: string[] = []
  taskboard.events.on('audit', ({ action }) => void heard.push(action))
  const user = await taskboard.accounts.createUser(accountId, {
    email: ' ADA@acme.example',
    password: PASSWORD,
  })
  const { id, key } = await taskboard.accounts.createKey({ accountId, name: 'k', scopes: ['tasks:read'] })
  const owner = { email: 'grace@other.example', password: PASSWORD }
  const other = await taskboard.accounts.create({ name: 'Other', tier: 'custom', owner })
  expect(made).toEqual([
    { kind: 'user', accountId, id: user.id, email: 'ada@acme.example' },
    { kind: 'api_key', accountId, id, digest: createHash('sha256').update(key).digest('hex') },
    { kind: 'user', accountId: other.account.id, id: other.user?.id, email: owner.email },
  ])
  expect(heard).toEqual(['member.added', 'key.created', 'account.created'])
  await taskboard.close()
})

it('makes nothing when the host refuses', async () => {
  const { taskboard, accountId } = await setUp(async () => {
    throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
  })
  const user = taskboard.accounts.createUser(accountId, { email: 'ada@acme.example', password: PASSWORD })
  await expect(user).rejects.toMatchObject({ code: 'CONFLICT', field: 'email' })
  const key = taskboard.accounts.createKey({ accountId, name: 'k', scopes: ['tasks:read'] })
  await expect(key).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await taskboard.accounts.listUsers(accountId)).toEqual([])
  expect(await taskboard.accounts.listKeys(accountId)).toEqual([])
  const owner = { email: 'ada@acme.example', password: PASSWORD }
  await expect(taskboard.accounts.create({ name: 'B', tier: 'custom', owner })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  expect(await taskboard.accounts.list()).toHaveLength(1)
  await taskboard.close()
})

it('is no option but a function', () => {
  const options = { storage: memoryStorage(), onCredential: 'a name' as never }
  expect(() => createTaskboard(options)).toThrow(expect.objectContaining({ field: 'onCredential' }))
})

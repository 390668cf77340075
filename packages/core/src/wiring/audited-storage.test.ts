import { createTaskboard, type AuditRecord, type Logger } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { auditActionNames } from '../audit/index.js'
import { auditRules } from './audit-rules.js'
import { retentionOf } from './retention.js'

const PASSWORD = 'correct horse battery'
const HERE = { clientAddress: '203.0.113.7' }
const DAY_MS = 86_400_000

async function setUp(retention: { auditDays?: number; keepAuditOfDeletedAccounts?: boolean } = {}) {
  const clock = virtualClock()
  const storage = memoryStorage()
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  const board = createTaskboard({
    storage,
    clock,
    logger,
    retention,
    passwordHasher: plainPasswordHasher,
    tokens: { secret: 's'.repeat(32) },
    secrets: { encryptionKey: '0'.repeat(64) },
  })
  const heard: AuditRecord[] = []
  board.events.on('audit', (record) => void heard.push(record))
  const owner = { email: 'ada@acme.example', password: PASSWORD }
  const { account, workspace, user } = await board.accounts.create({ name: 'Acme', tier: 'custom', owner })
  const { login } = board.services
  if (login === null || user === null) throw new Error('no login')
  const actionsOf = async (accountId: string | null = account.id) =>
    (await board.audit.list(accountId)).records.map(({ action }) => action).toReversed()
  return { clock, storage, board, heard, lines, account, workspace, user, login, owner, actionsOf }
}

describe('the audit', () => {
  it('has a rule for each action, and each action has a rule or is counted', () => {
    const source = JSON.stringify(auditRules, (_, value: unknown) =>
      typeof value === 'function' ? String(value) : value,
    )
    const counted = ['login.failed', 'login.locked', 'access.refused', 'credential.refused']
    const without = auditActionNames.filter((action) => !source.includes(action) && !counted.includes(action))
    expect(without).toEqual([])
  })

  it('names whoever the host says, and else the host', async () => {
    const { board, account } = await setUp()
    await board.accounts.update(
      account.id,
      { tier: 'professional' },
      { by: { id: 'admin-7', name: 'Grace' } },
    )
    const [changed, created] = (await board.audit.list(account.id)).records
    expect(changed).toMatchObject({
      action: 'account.changed',
      details: { tier: 'professional' },
      count: 1,
      by: {
        kind: 'host',
        id: 'admin-7',
        name: 'Grace',
        clientAddress: null,
      },
      target: {
        kind: 'account',
        id: account.id,
      },
    })
    expect(created).toMatchObject({ action: 'account.created', by: { kind: 'host', id: null, name: null } })
  })

  it('tells listeners and the log after the commit, also of transactions, and not of what rolls back', async () => {
    const { board, account, heard, lines } = await setUp()
    await board.transaction(async (tx) => {
      await board.accounts.createKey({ accountId: account.id, name: 'k', scopes: ['tasks:read'] }, { tx })
      expect(heard.map(({ action }) => action)).toEqual(['account.created'])
    })
    expect(heard.map(({ action }) => action)).toEqual(['account.created', 'key.created'])
    const failing = board.transaction(async (tx) => {
      await board.accounts.createKey({ accountId: account.id, name: 'k', scopes: ['tasks:read'] }, { tx })
      throw new Error('the host fails')
    })
    await expect(failing).rejects.toThrow('the host fails')
    expect(heard).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('audit '))).toHaveLength(2)
    expect((await board.audit.list(account.id)).records).toEqual(heard.toReversed())
  })

  it('records nothing of what fails, and nothing of what changes nothing', async () => {
    const { board, account, actionsOf } = await setUp()
    await expect(board.accounts.revokeKey(account.id, 'ak_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(board.webhooks.delete(account.id, 'wh_none')).resolves.toBe(false)
    expect(await actionsOf()).toEqual(['account.created'])
  })

  it('counts what was refused by the minute, and says from which address', async () => {
    const { board, user, login, owner, account, clock, actionsOf } = await setUp()
    await board.start()
    const wrong = () =>
      login.sessions.login({ ...owner, password: 'wrong password' }, HERE).catch(() => undefined)
    for (let times = 0; times < 12; times++) await wrong()
    await login.sessions
      .login({ email: 'nobody@acme.example', password: 'wrong' }, HERE)
      .catch(() => undefined)
    expect(await actionsOf()).toEqual(['account.created'])
    await clock.advance({ minutes: 2 })
    const { records } = await board.audit.list(account.id)
    const by = { kind: 'user', id: user.id, clientAddress: HERE.clientAddress }
    expect(records.map(({ action, count }) => [action, count])).toEqual(
      expect.arrayContaining([
        ['login.failed', 10],
        ['login.locked', 2],
      ]),
    )
    for (const record of records.slice(0, 2)) expect(record.by).toMatchObject(by)
    const others = await board.audit.list(null)
    expect(others.records).toMatchObject([
      { action: 'login.failed', accountId: null, count: 1, by: { id: null } },
    ])
    await wrong()
    await board.close()
    expect((await board.audit.list(account.id)).records).toHaveLength(4)
  })

  it('has wrong credentials by the address, for the host alone, and the refusals of callers in their accounts', async () => {
    const { board, account, clock } = await setUp()
    await board.start()
    const request = (clientAddress: string) => ({
      method: 'GET',
      path: '/',
      clientAddress,
      header: (name: string) => (name === 'authorization' ? 'Bearer wrong' : undefined),
    })
    for (const address of ['203.0.113.7', '203.0.113.7', '198.51.100.1'])
      board.services.refuseCredential(request(address))
    board.services.countRefusal({ kind: 'api_key', id: 'ak_1' }, account.id)
    await clock.advance({ minutes: 2 })
    const { records } = await board.audit.list(null)
    expect(records.map(({ action, count, by }) => [action, count, by.clientAddress])).toEqual(
      expect.arrayContaining([
        ['credential.refused', 2, '203.0.113.7'],
        ['credential.refused', 1, '198.51.100.1'],
      ]),
    )
    const [refused] = (await board.audit.list(account.id)).records
    expect(refused).toMatchObject({ action: 'access.refused', by: { kind: 'api_key', id: 'ak_1' } })
    await board.close()
  })

  it('keeps a flood of addresses in few rows', async () => {
    const { board, clock } = await setUp()
    await board.start()
    for (let at = 0; at < 5_000; at++) {
      const clientAddress = `2001:db8:${at.toString(16)}::1`
      board.services.refuseCredential({ method: 'GET', path: '/', clientAddress, header: () => undefined })
    }
    await clock.advance({ minutes: 2 })
    const { records } = await board.audit.list(null, { limit: 1_000 })
    expect(records).toHaveLength(101)
    expect(records.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
    expect(records.find(({ count }) => count > 1)?.by).toMatchObject({ kind: 'system', name: 'others' })
    await board.close()
  })

  it('keeps a flood of an account in few rows of that account, by network, and the records of others as they are', async () => {
    const { board, account, clock } = await setUp()
    const other = await board.accounts.create({ name: 'Other', tier: 'custom' })
    await board.start()
    const { countRefusal } = board.services
    const by = (id: string, clientAddress: string) => ({ kind: 'api_key', id, clientAddress }) as const
    for (let at = 0; at < 20_000; at++) countRefusal(by('ak_1', `2001:db8:${at.toString(16)}::1`), account.id)
    for (let at = 0; at < 90; at++)
      countRefusal(by('ak_2', `2001:db8:1:2::${at.toString(16)}`), other.account.id)
    countRefusal(by('ak_3', '203.0.113.7'), other.account.id)
    await clock.advance({ minutes: 2 })
    const flooded = (await board.audit.list(account.id, { limit: 1_000, actions: ['access.refused'] }))
      .records
    expect(flooded).toHaveLength(101)
    expect(flooded.reduce((sum, { count }) => sum + count, 0)).toBe(20_000)
    const { records } = await board.audit.list(other.account.id, { actions: ['access.refused'] })
    expect(records.map((each) => `${each.by.id} ${each.count}`).toSorted()).toEqual(['ak_2 90', 'ak_3 1'])
    await board.close()
  })

  it('counts again what the storage did not take, once each', async () => {
    const { board, storage, account, clock } = await setUp()
    await board.start()
    const append = storage.audit.appendAudit
    let calls = 0
    Object.assign(storage.audit, {
      appendAudit(...given: Parameters<typeof append>) {
        calls += 1
        return calls === 2 || calls === 3 ? Promise.reject(new Error('no storage')) : append(...given)
      },
    })
    const refuse = (id: string, times: number) => {
      for (let time = 0; time < times; time++)
        board.services.countRefusal({ kind: 'api_key', id }, account.id)
    }
    refuse('ak_1', 1)
    refuse('ak_2', 2)
    refuse('ak_3', 3)
    await clock.advance({ minutes: 1 })
    refuse('ak_2', 10)
    await clock.advance({ minutes: 5 })
    const { records } = await board.audit.list(account.id, { actions: ['access.refused'] })
    expect(records.map((each) => `${each.by.id} ${each.count}`).toSorted()).toEqual([
      'ak_1 1',
      'ak_2 12',
      'ak_3 3',
    ])
    await board.close()
  })

  it('keeps records as long as the host says, and those of no account for 30 days at most', async () => {
    expect(retentionOf({}).auditDays).toBe(400)
    const { board, clock, actionsOf } = await setUp({ auditDays: 33 })
    await board.start()
    board.services.refuseCredential({
      method: 'GET',
      path: '/',
      clientAddress: '::1',
      header: () => undefined,
    })
    await clock.advance(29 * DAY_MS)
    expect(await actionsOf(null)).toHaveLength(1)
    await clock.advance(2 * DAY_MS)
    expect(await actionsOf(null)).toHaveLength(0)
    await clock.advance(DAY_MS)
    expect(await actionsOf()).toEqual(['account.created'])
    await clock.advance(2 * DAY_MS)
    expect(await actionsOf()).toEqual([])
    await board.close()
  })

  it('goes with its account, unless the host keeps it', async () => {
    for (const keepAuditOfDeletedAccounts of [false, true]) {
      const { board, account, actionsOf } = await setUp({ keepAuditOfDeletedAccounts })
      await board.accounts.delete(account.id)
      expect(await actionsOf()).toEqual(
        keepAuditOfDeletedAccounts ? ['account.created', 'account.deleted'] : [],
      )
    }
  })

  it('never has a secret, nor the text of a task', async () => {
    const { board, account, workspace, user, login, owner, lines, heard, storage } = await setUp()
    const planted: string[] = [
      PASSWORD,
      'planted title',
      'planted input',
      'planted action',
      'planted summary',
      'planted comment',
      'planted-path',
      'planted secret of a webhook',
    ]
    const { accessToken, refreshToken } = await login.sessions.login(owner, HERE)
    const next = await login.sessions.refresh(refreshToken, HERE)
    const { key } = await board.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: ['tasks:read'],
    })
    const { secret } = await login.mfa.begin(user.id)
    const tasks = board.board(workspace.id)
    const task = await tasks.add({ title: 'planted title', description: 'planted input' })
    const agent = await board.agents.create(workspace.id, { name: 'Worker', type: 'worker' })
    const { fencingToken = 0 } = (await tasks.claim({ agentId: agent.id }))?.lease ?? {}
    const asked = {
      action: 'planted action',
      summary: 'planted summary',
      input: 'planted input',
      fencingToken,
    }
    const { approval } = await tasks.requestApproval(task.id, asked)
    await tasks.decide(approval.id, { decision: 'approved', comment: 'planted comment' })
    await tasks.schedules.create({ cron: '@daily', task: { title: 'planted title' } })
    await board.webhooks.register(workspace.id, {
      url: 'https://hooks.example/planted-path',
      events: ['task.created'],
      secret: 'planted secret of a webhook',
    })
    const { code } = await login.createLoginCode({ email: owner.email })
    await login.sessions.loginByCode(code, HERE)
    planted.push(accessToken, refreshToken, next.refreshToken, key, secret, code)
    const stored = await storage.audit.listAudit(
      {
        accountId: account.id,
        actions: null,
        actorId: null,
        from: null,
        to: null,
        after: null,
        limit: 1_000,
      },
      { now: null },
    )
    expect(stored.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['approval.decided', 'schedule.created', 'webhook.created', 'key.created']),
    )
    const texts = JSON.stringify([stored, heard, lines.filter((line) => line.startsWith('audit '))])
    for (const secretText of planted) expect(texts).not.toContain(secretText)
  })
})

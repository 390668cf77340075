import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import type { HeldResource } from '@taskboard/core/storage'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { isTaskboardError, TaskboardError } from '../errors/index.js'

const EXCEEDED = (field: string) =>
  expect.toSatisfy((error: unknown) => isTaskboardError(error, 'QUOTA_EXCEEDED') && error.field === field)

async function accountWith(quota: NonNullable<NonNullable<TaskboardOptions['tiers']>['custom']>['quota']) {
  const clock = virtualClock(Date.UTC(2026, 0, 31, 23))
  const storage = memoryStorage()
  const asked: string[] = []
  const { quotas } = storage
  const taskboard = createTaskboard({
    storage: {
      ...storage,
      quotas: {
        ...quotas,
        takeTask: (...given) => {
          asked.push('takeTask')
          return quotas.takeTask(...given)
        },
        countHeld: (...given) => {
          asked.push('countHeld')
          return quotas.countHeld(...given)
        },
      },
    },
    clock,
    tiers: { custom: { quota } },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const subscriber = { accountId: account.id, tier: account.tier }
  const board = taskboard.services.board(workspace.id)
  const { quota: held } = taskboard.services
  const claim = (key: string) => ({ scope: 's', key, fingerprint: key })
  return {
    clock,
    asked,
    subscriber,
    quota: held,
    addTask: (title = 'a task', key?: string) => {
      const idempotency = key === undefined ? undefined : claim(key)
      return held.createTask(subscriber, (tx) => board.addOnce({ title }, { idempotency, tx }), {
        isRepeatable: idempotency !== undefined,
      })
    },
    tasks: async () => (await board.list('TODO')).tasks.length,
    addWebhook: (key?: string) =>
      held.createHeld(subscriber, 'webhooks', (tx) =>
        taskboard.services.webhooks.register(
          workspace.id,
          { url: 'https://receiver.example/hook', events: ['task.created'] },
          { tx, idempotency: key === undefined ? undefined : claim(key) },
        ),
      ),
  }
}

describe('createTask', () => {
  it('does not count without a quota', async () => {
    const { addTask, addWebhook, asked, quota, subscriber } = await accountWith({})
    await addTask()
    await addWebhook()
    expect(asked).toEqual([])
    expect(await quota.usage(subscriber)).toEqual({
      tasksPerMonth: { used: null, limit: null, resetAt: Date.UTC(2026, 1) },
      agents: { used: 0, limit: null },
      apiKeys: { used: 0, limit: null },
      webhooks: { used: 1, limit: null },
      notificationChannels: { used: 0, limit: null },
      schedules: { used: 0, limit: null },
    })
  })

  it('allows as many as the quota of the month, and again in the next month', async () => {
    const { addTask, tasks, clock, quota, subscriber } = await accountWith({ tasksPerMonth: 2 })
    await Promise.allSettled([1, 2, 3, 4].map(() => addTask()))
    expect(await tasks()).toBe(2)
    await expect(addTask()).rejects.toThrow(EXCEEDED('tasksPerMonth'))
    await clock.advance({ hours: 1 })
    await addTask()
    const { tasksPerMonth } = await quota.usage(subscriber)
    expect(tasksPerMonth).toEqual({ used: 1, limit: 2, resetAt: Date.UTC(2026, 2) })
  })

  it('counts no refused create, but one that may have succeeded', async () => {
    const { addTask, quota, subscriber } = await accountWith({ tasksPerMonth: 1 })
    const failing = (error: Error) =>
      quota.createTask(subscriber, async () => {
        throw error
      })
    await expect(addTask(' ')).rejects.toThrow('title')
    await expect(failing(new TaskboardError('SERVICE_UNAVAILABLE', 'lost'))).rejects.toThrow('lost')
    await expect(addTask()).rejects.toThrow(EXCEEDED('tasksPerMonth'))
  })

  it('counts nothing, not even for a moment, for input that its check refuses', async () => {
    const { quota, subscriber, asked } = await accountWith({ tasksPerMonth: 1 })
    const check = () => {
      throw new TaskboardError('MISSING_FIELD', 'title is missing')
    }
    const created = quota.createTask(subscriber, () => Promise.reject(new Error('not asked for')), { check })
    await expect(created).rejects.toThrow('title is missing')
    expect(asked).toEqual([])
  })

  it('counts no repeat, and answers it when the quota is used up', async () => {
    const { addTask, tasks } = await accountWith({ tasksPerMonth: 2 })
    const first = await addTask('first', 'one')
    expect(await addTask('first', 'one')).toEqual(first)
    await addTask('second', 'two')
    expect(await addTask('first', 'one')).toEqual(first)
    await expect(addTask('third', 'three')).rejects.toThrow(EXCEEDED('tasksPerMonth'))
    expect(await tasks()).toBe(2)
  })
})

describe('createHeld', () => {
  it('never allows more than the quota', async () => {
    const { addWebhook, quota, subscriber } = await accountWith({ webhooks: 3 })
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => addWebhook()))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect((await quota.usage(subscriber)).webhooks).toEqual({ used: 3, limit: 3 })
    await expect(addWebhook()).rejects.toThrow(EXCEEDED('webhooks'))
  })

  it('answers a repeat when the quota is used up', async () => {
    const { addWebhook } = await accountWith({ webhooks: 1 })
    const first = await addWebhook('one')
    expect(await addWebhook('one')).toEqual(first)
    await expect(addWebhook('two')).rejects.toThrow(EXCEEDED('webhooks'))
  })

  it.each<HeldResource>(['agents', 'apiKeys', 'webhooks'])(
    'counts %s, twice if none is left',
    async (resource) => {
      const { quota, subscriber, asked } = await accountWith({ [resource]: 1 })
      const create = () => quota.createHeld(subscriber, resource, () => Promise.resolve('a repeat'))
      expect(await create()).toBe('a repeat')
      expect(asked).toEqual(['countHeld'])
      const none = await accountWith({ [resource]: 0 })
      const repeat = none.quota.createHeld(none.subscriber, resource, () => Promise.resolve('a repeat'))
      expect(await repeat).toBe('a repeat')
      expect(none.asked).toEqual(['countHeld', 'countHeld'])
    },
  )
})
